"""Handles, the profiles that have them, and what says that two are one customer's, while a batch is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from tarimba.conversations import people_store as store
from tarimba.conversations.handles import Hashed
from tarimba.conversations.rules import proves
from tarimba.ids import new_id
from tarimba.personal_data import service as personal_data
from tarimba.storage import Tx

SAME_EVENT = "same_event"


class People:
    """The profiles behind some handles. What is learned is stored by `flush`."""

    def __init__(self, tx: Tx, vendor_id: str, source_id: str, groups: Iterable[Sequence[Hashed]]) -> None:
        """As the agents of one vendor know them.

        `groups` are the handles that will come together: of one event, of one identification.
        """
        groups = list(groups)
        self._tx = tx
        self._vendor_id = vendor_id
        self._source_id = source_id
        self._profiles = store.profiles_of(tx, vendor_id, {one.mac for group in groups for one in group})
        self._stored = frozenset(self._profiles.values())
        self._links = store.links_among(tx, vendor_id, {pair for group in groups for pair in _pairs(group)})
        self._stored_links = frozenset(self._links)
        visitors = {one.mac for group in groups for one in group if one.is_anonymous}
        self._claimed = store.claimed(tx, vendor_id, visitors)
        self._new_handles: dict[str, Hashed] = {}
        self._new_links: dict[tuple[str, str], tuple[str, str]] = {}
        self._into: dict[str, str] = {}
        self._proven: set[str] = set()
        self._claimed_visitors: set[str] = set()
        self._known: dict[str, str] = {}

    def root(self, profile_id: str | None) -> str | None:
        """Who a profile turned out to be."""
        while profile_id is not None and profile_id in self._into:
            profile_id = self._into[profile_id]
        return profile_id

    def one(self, handles: Sequence[Hashed]) -> str:
        """The profile of handles that came in one event, hence of one customer."""
        if len(handles) > 1:
            self.told(handles, SAME_EVENT)
        return self._profile(handles[0])

    def told(self, handles: Sequence[Hashed], method: str) -> bool:
        """Somebody says that the handles are one customer's. Whether that is proven, by this or before."""
        profiles = [self._profile(one) for one in handles]
        if proves(method):
            is_news = self._link(handles, method, "confirmed")
            for other in profiles[1:]:
                self._merge(profiles[0], other)
            if is_news:
                self._proven.add(profiles[0])
        elif len(set(profiles)) > 1:
            self._link(handles, method, "unconfirmed")
            visitors = (one for one in handles if one.is_anonymous)
            self._claimed_visitors.update(self._profile(one) for one in visitors)
        return proves(method) or (len(handles) > 1 and len({self._profile(one) for one in handles}) == 1)

    def is_claimed(self, handles: Sequence[Hashed]) -> bool:
        """Whether these are a visitor's only, of whom somebody claims to know who it is."""
        is_visitor = all(one.is_anonymous for one in handles)
        return is_visitor and any(one.mac in self._claimed for one in handles)

    def showed(self, handles: Sequence[Hashed]) -> None:
        """The customer has these handles, so they are a known customer's from here on."""
        self._known.update({one.mac: one.known_kind for one in handles if one.known_kind is not None})

    def flush(self) -> int:
        """Stores what was learned. Returns how many handles became a known customer's."""
        tx = self._tx
        roots = {mac: self._root(profile_id) for mac, profile_id in self._profiles.items()}
        new = sorted({roots[mac] for mac in self._new_handles} - self._stored)
        store.add_profiles(tx, new)
        store.touch_profiles(tx, sorted(set(roots.values()) - set(new)))
        handles = [(mac, roots[mac], one.type) for mac, one in sorted(self._new_handles.items())]
        store.add_handles(tx, self._vendor_id, handles)
        known = {pair: link for pair, link in self._new_links.items() if pair in self._stored_links}
        store.change_links(tx, self._vendor_id, known)
        new_links = {pair: link for pair, link in self._new_links.items() if pair not in known}
        store.add_links(tx, self._vendor_id, self._source_id, new_links)
        merged = {profile_id: self._root(profile_id) for profile_id in self._into.keys() & self._stored}
        store.merge_profiles(tx, merged)
        personal_data.reassign(tx, merged)
        return self._learned(roots)

    def settle_links(self) -> None:
        """Conversations of customers who are proven now say so, and those of visitors whom somebody claims to be one.

        Runs when the conversations of the batch are stored.
        """
        store.confirm_conversations(self._tx, {self._root(one) for one in self._proven})
        store.doubt_conversations(self._tx, {self._root(one) for one in self._claimed_visitors})

    def _root(self, profile_id: str) -> str:
        found = self.root(profile_id)
        assert found is not None
        return found

    def _profile(self, handle: Hashed) -> str:
        known = self._profiles.get(handle.mac)
        if known is None:
            known = self._profiles[handle.mac] = new_id()
            self._new_handles[handle.mac] = handle
        return self._root(known)

    def _merge(self, one: str, other: str) -> None:
        """Two profiles are one customer's: the older goes on, a stored one before a new one."""
        roots = {self._root(one), self._root(other)}
        if len(roots) == 2:
            kept, gone = sorted(roots, key=lambda which: (which not in self._stored, which))
            self._into[gone] = kept

    def _link(self, handles: Sequence[Hashed], method: str, state: str) -> bool:
        """Whether anything about these pairs was not known before."""
        is_news = False
        for pair in _pairs(handles):
            # The first handle stands for all, but a claim about any two of them is settled by a proof.
            if handles[0].mac in pair or pair in self._links:
                known = self._links.get(pair)
                if known is None or (known != state and state == "confirmed"):
                    self._links[pair] = state
                    self._new_links[pair] = (method, state)
                    is_news = True
        return is_news

    def _learned(self, roots: Mapping[str, str]) -> int:
        return personal_data.learn(
            self._tx, {mac: (kind, roots[mac]) for mac, kind in sorted(self._known.items())}
        )


def _pairs(handles: Sequence[Hashed]) -> Iterable[tuple[str, str]]:
    return combinations(sorted(one.mac for one in handles), 2)
