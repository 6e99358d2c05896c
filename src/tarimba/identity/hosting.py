"""What the host's command line asks of the people, agents and keys of a space: words in, JSON out.

`host` is the principal of `host_of`. Errors are those of the use cases behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tarimba.errors import Refusal, not_found
from tarimba.identity import fleet, links, members, people, views
from tarimba.identity.declare import Also, Applied, apply
from tarimba.identity.drafts import NewKey, NewPerson, PersonChange
from tarimba.identity.fields import checked_moment
from tarimba.identity.listing import N, Page, Window
from tarimba.identity.manifest import Manifest, PersonaEntry, VocabularyEntry, WorkspaceEntry, dangling
from tarimba.identity.model import Principal
from tarimba.identity.rotation import record_rotation, rewrap
from tarimba.identity.seat_store import member_named, subscription_named
from tarimba.identity.spaces import host_of, host_principal, list_spaces
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.vault import Vault

__all__ = [
    "Also", "Applied", "Manifest", "Part", "PersonaEntry", "VocabularyEntry", "WorkspaceEntry", "dangling", "host_of",
    "host_principal",
]  # fmt: skip

_PAGE = 500
# What another slice, which stands on this one, does for a file: called before anything is changed.
Part = Callable[[Manifest], Also]


def apply_text(
    kernel: Kernel, text: str, as_email: str | None = None, parts: Mapping[str, Part] | None = None
) -> Applied:
    """Brings a space to what the text of a TOML file declares; each of `parts` takes what is its own of the file.

    Their names are `vocabulary`, `persona`, `workspace` and `witness`.
    """
    manifest, parts = Manifest.parse(text), parts or {}
    declared = {
        "vocabulary": manifest.vocabulary,
        "persona": manifest.personas,
        "workspace": manifest.workspaces,
        "witness": manifest.witnesses,
    }
    wanted = [name for name, entries in declared.items() if entries]
    for name in wanted:
        if name not in parts:
            raise Refusal("invalid_input", f"{name}: can't be applied here.")
    works = [parts[name](manifest) for name in wanted]

    def also(tx: Tx, by: Principal) -> None:
        for work in works:
            work(tx, by)

    return apply(kernel, manifest, as_email, also)


def spaces(kernel: Kernel) -> list[dict[str, Any]]:
    return [views.space_view(space) for space in list_spaces(kernel)]


def keys(kernel: Kernel, host: Principal, agent: str | None) -> list[views.KeyView]:
    """Every key of the space, or of the agent with this slug; revoked ones too."""
    source_id = _source_of(kernel, host, agent)
    found = _everything(lambda window: fleet.list_keys(kernel, host, window, source_id))
    return [views.key_view(key) for key in found]


def mint_key(
    kernel: Kernel,
    host: Principal,
    agent: str | None,
    name: str,
    scopes: Sequence[str],
    expires_at: str | None,
) -> views.KeyView:
    """A new key with its secret: of the agent with this slug, else of the space."""
    make = NewKey.of_agent if agent else NewKey.of_space
    new = make(name, scopes, expires_at)
    minted = fleet.create_key(kernel, host, new, _source_of(kernel, host, agent))
    view = views.key_view(fleet.read_key(kernel, host, minted.done.ids["key_id"]))
    view["key"] = minted.secret
    return view


def revoke_key(kernel: Kernel, host: Principal, key_id: str) -> views.KeyView:
    fleet.revoke_key(kernel, host, key_id)
    return views.key_view(fleet.read_key(kernel, host, key_id))


def all_people(kernel: Kernel, host: Principal) -> list[views.PersonView]:
    found = _everything(lambda window: people.list_people(kernel, host, window))
    return [views.person_view(person) for person in found]


def add_person(
    kernel: Kernel,
    host: Principal,
    *,
    slug: str,
    email: str,
    name: str | None,
    language: str | None,
    roles: Sequence[str],
) -> views.PersonView:
    new = NewPerson.of(slug, PersonChange.of(name=name, email=email, language=language, roles=roles))
    made = people.create_person(kernel, host, new)
    return views.person_view(people.read_person(kernel, host, made.ids["person_id"]))


def change_roles(
    kernel: Kernel, host: Principal, email: str, added: Sequence[str], removed: Sequence[str]
) -> views.PersonView:
    """Gives and takes roles of the person with this address; a role in both is given."""
    found = people.find_person(kernel, host, email)
    change = PersonChange.of(roles=[*(found.roles - set(removed)), *added])
    people.change_person(kernel, host, found.person_id, change)
    return views.person_view(people.read_person(kernel, host, found.person_id))


def issue_token(kernel: Kernel, host: Principal, email: str, expires_at: str | None) -> dict[str, str]:
    """A new personal token: `person_id`, `token_id` and, this once, `token`."""
    ends = checked_moment("--expires-at", expires_at)
    found = people.find_person(kernel, host, email)
    minted = people.issue_token(kernel, host, found.person_id, ends)
    ids = {"person_id": found.person_id, "token_id": minted.done.ids["token_id"]}
    return ids | {"token": minted.secret}


def link(
    kernel: Kernel, host: Principal, email: str, *, drops_factor: bool = False, drops_provider: bool = False
) -> dict[str, str]:
    """A one-time link to the Console: `person_id` and, this once, `link`."""
    found = people.find_person(kernel, host, email)
    token = links.make_link(
        kernel, host, found.person_id, drops_factor=drops_factor, drops_provider=drops_provider
    )
    return {"person_id": found.person_id, "link": f"{kernel.settings.address}/console/enter/{token}"}


def revoke_tokens(kernel: Kernel, host: Principal, email: str) -> dict[str, Any]:
    """Revokes every token of the person: `person_id` and `revoked`, how many were in force."""
    found = people.find_person(kernel, host, email)
    return {"person_id": found.person_id, "revoked": people.revoke_tokens(kernel, host, found.person_id)}


def end_workspace_tokens(kernel: Kernel, host: Principal, subscription: str, member: str) -> dict[str, str]:
    """Ends the tokens of the member's workspaces in the subscription, each named by slug or id. Raises 404."""
    with kernel.database.read() as connection:
        theirs = subscription_named(connection, host.space_id, subscription)
        if theirs is None:
            raise not_found("subscription")
        found = member_named(connection, host.space_id, theirs.id, member)
    if found is None:
        raise not_found("member")
    members.end_tokens(kernel, host, theirs.id, found.id)
    return {"subscription_id": theirs.id, "person_id": found.id}


def rotate_master(kernel: Kernel, old: Vault) -> int:
    """Wraps everything again under the kernel's own master key. Returns how many spaces there are.

    Safe to repeat: what is wrapped under it already stays. Raises `VaultError` when a secret opens with neither.
    """
    rewrap(kernel.database, old, kernel.vault)
    found = list_spaces(kernel)
    for space in found:
        record_rotation(kernel, host_principal(space))
    return len(found)


def _source_of(kernel: Kernel, host: Principal, agent: str | None) -> str | None:
    return None if agent is None else fleet.find_agent(kernel, host, agent).source_id


def _everything(read: Callable[[Window], Page[N]]) -> list[N]:
    """All entries of a list, page by page."""
    found: list[N] = []
    after: int | None = 0
    while after is not None:
        page = read(Window(_PAGE, after))
        found.extend(page.items)
        after = page.ends_at
    return found
