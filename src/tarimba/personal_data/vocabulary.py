"""Layer 5: the words of a space that are nobody's names, each with who vouched for it and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import commit_change, done, leave
from tarimba.identity.hosting import VocabularyEntry
from tarimba.identity.listing import Page, Window
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.personal_data import vocabulary_store as store
from tarimba.personal_data.knowledge import bump, knowledge
from tarimba.personal_data.known_customers import known_in
from tarimba.personal_data.vocabulary_rules import ENTRIES_MAX, MAILBOX, Term, checked_term, refuse_kinds
from tarimba.personal_data.vocabulary_store import Entry
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.vault import SpaceKey

# In a country of two hundred million: about one person in a hundred thousand.
_COMMON_CLASS = 4


@dataclass(frozen=True, slots=True)
class NewTerm:
    """What somebody asks to add. `confirmed`: a person vouches that a common first name alone is none here."""

    term: str
    reason: str
    confirmed: bool = False


def list_entries(kernel: Kernel, principal: Principal, window: Window) -> Page[Entry]:
    """Oldest first. Raises 403."""
    allow(principal, "vocabulary")
    with kernel.database.read() as connection:
        return store.entries(connection, principal.space_id, window)


def read_entry(kernel: Kernel, principal: Principal, entry_id: str) -> Entry:
    """Raises 403 and 404."""
    allow(principal, "vocabulary")
    with kernel.database.read() as connection:
        return _there(store.by_id(connection, principal.space_id, entry_id))


def add(kernel: Kernel, principal: Principal, wanted: NewTerm, once_key: OnceKey | None = None) -> Done:
    """Ids: `entry_id`. Raises 403, 409 for a term that is there and a full vocabulary, and 422."""
    allow(principal, "vocabulary")
    _require_person(principal, wanted.reason, confirmed=wanted.confirmed)
    term = _checked(wanted, _is_first_name())

    def work(tx: Tx) -> Done:
        if store.by_folded(tx.connection, tx.space_id, term.folded):
            raise Refusal("conflict", "term: is in the vocabulary already.")
        _require_fit(tx, kernel.keys.of(tx.space_id), [("", term)])
        entry_id = new_id()
        return done(201, _put(tx, principal, {entry_id: term}), entry_id=entry_id)

    return commit_change(kernel, principal, "vocabulary", once_key, work)


def remove(kernel: Kernel, principal: Principal, entry_id: str, once_key: OnceKey | None = None) -> Done:
    """Ids: `entry_id`. Notes that the entry let pass are found by the next scan. Raises 403 and 404."""

    def work(tx: Tx) -> Done:
        entry = _there(store.by_id(tx.connection, tx.space_id, entry_id))
        return done(200, _drop(tx, principal, entry), entry_id=entry_id)

    return commit_change(kernel, principal, "vocabulary", once_key, work)


def find(kernel: Kernel, principal: Principal, term: str) -> Entry:
    """The entry of a term, however it is written. Raises 403 and 404."""
    allow(principal, "vocabulary")
    with kernel.database.read() as connection:
        return _there(store.by_term(connection, principal.space_id, term))


def terms(kernel: Kernel, space_id: str) -> list[tuple[str, str]]:
    """Folded term and reason of every entry."""
    with kernel.database.read() as connection:
        return store.terms(connection, space_id)


def declared(kernel: Kernel, entries: Sequence[VocabularyEntry]) -> Callable[[Tx, Principal], None]:
    """What brings a space to the entries of a file, under its lock. Raises 422 naming the place in the file."""
    checked = _all_checked(entries)

    def work(tx: Tx, by: Principal) -> None:
        there = {entry.folded: entry for entry in store.every(tx.connection, tx.space_id)}
        new = []
        for where, term in checked:
            known = there.get(term.folded)
            if known is not None and known.reason == term.reason:
                continue
            allow(by, "vocabulary")
            _require_person(by, term.reason, confirmed=term.confirmed)
            if known is not None:
                _drop(tx, by, known)
            new.append((where, term))
        _require_fit(tx, kernel.keys.of(tx.space_id), new)
        _put(tx, by, {new_id(): term for _, term in new})

    return work


def _all_checked(entries: Sequence[VocabularyEntry]) -> list[tuple[str, Term]]:
    # A new space is made ahead of its first transaction, so everything that can be refused is refused here.
    if len(entries) > ENTRIES_MAX:
        raise invalid("vocabulary", f"must not have more than {ENTRIES_MAX} entries")
    is_first_name = _is_first_name()
    checked: dict[str, tuple[str, Term]] = {}
    for one in entries:
        term = _checked(NewTerm(one.term, one.reason, one.confirmed), is_first_name, one.where)
        if term.folded in checked:
            raise invalid(f"{one.where}term", "stands in the file twice")
        checked[term.folded] = (one.where, term)
    return list(checked.values())


def _require_fit(tx: Tx, key: SpaceKey, new: Sequence[tuple[str, Term]]) -> None:
    """Raises 409 for a vocabulary that is full, and 422 for a term that names a known customer.

    Kept, such a term would be the one place where a customer's name lies in the clear.
    """
    if store.count(tx.connection, tx.space_id) + len(new) > ENTRIES_MAX:
        raise Refusal("conflict", f"The vocabulary can't have more than {ENTRIES_MAX} entries.")
    if knowledge(tx.connection, tx.space_id).has_customers:
        for where, term in new:
            known = known_in(tx.connection, key, tx.space_id, {"term": term.text})
            refuse_kinds({finding.kind for found in known.values() for finding in found}, where)


def _put(tx: Tx, by: Principal, new: Mapping[str, Term]) -> Recorded | None:
    """Stores terms by their ids, each with a receipt. Returns the last one."""
    if new:
        store.add(tx, new, by.id)
        bump(tx, suspects=False)
    overrules = by.kind == "person" and not by.has_role("owner", "manager")
    action, detail = ("pii.overrule", {}) if overrules else ("vocabulary.change", {"change": "add"})
    receipt = None
    for entry_id, term in new.items():
        receipt = leave(tx, by, action, {"entry_id": entry_id}, {**detail, "reason": term.reason})
    return receipt


def _drop(tx: Tx, by: Principal, entry: Entry) -> Recorded:
    store.remove(tx, entry.entry_id)
    bump(tx, suspects=True)
    detail = {"change": "remove", "reason": entry.reason}
    return leave(tx, by, "vocabulary.change", {"entry_id": entry.entry_id}, detail)


def _checked(wanted: NewTerm, is_first_name: Callable[[str], bool], where: str = "") -> Term:
    return checked_term(
        wanted.term, wanted.reason, confirmed=wanted.confirmed, is_first_name=is_first_name, where=where
    )


def _require_person(by: Principal, reason: str, *, confirmed: bool) -> None:
    """What only a person may vouch for, and what a reviewer may not: nobody overrules a rule for one note."""
    if confirmed and by.kind == "admin":
        raise Refusal("person_required", "Only a person may vouch that a common first name is none.")
    if reason == MAILBOX and by.kind == "person" and not by.has_role("owner", "manager"):
        raise Refusal("scope_missing", "A role mailbox needs the role owner or manager.")


def _is_first_name() -> Callable[[str], bool]:
    # Its table is read where a term is added and nowhere else.
    from tarimba.personal_data.gazetteer import Gazetteer

    gazetteer = Gazetteer.shipped()
    return lambda word: gazetteer.entry(word).first >= _COMMON_CLASS


def _there(found: Entry | None) -> Entry:
    if found is None:
        raise not_found("entry")
    return found
