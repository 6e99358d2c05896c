"""`tarimba person`: people of a space, their roles and personal tokens."""

from __future__ import annotations

from typing import Any

import click

from tarimba.cli.options import Place, as_json, columns, everything, hosted, in_space, show


@click.group()
def person() -> None:
    """People, their roles and personal tokens."""


@person.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List people."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import people, views

        found: list[Any] = [
            views.person_view(entry) for entry in everything(kernel, host, people.list_people)
        ]
    show(found, is_json=is_json, lines=columns(found, ("person_id", "slug", "email", "roles")))


@person.command()
@click.argument("slug")
@click.argument("email")
@click.option("--name", help="Name to show (default: the slug).")
@click.option("--language", type=click.Choice(["pt", "en", "es"]), help="Default: the space's.")
@click.option("--role", "roles", multiple=True, help="A role; may be repeated.")
@as_json
@in_space
def add(
    place: Place,
    space: str | None,
    slug: str,
    email: str,
    name: str | None,
    language: str | None,
    roles: tuple[str, ...],
    *,
    is_json: bool,
) -> None:
    """Add a person."""
    from tarimba.identity import people, views
    from tarimba.identity.drafts import NewPerson, PersonChange

    new = NewPerson.of(slug, PersonChange.of(name=name, email=email, language=language, roles=roles))
    with hosted(place, space) as (kernel, host):
        made = people.create_person(kernel, host, new)
        view = views.person_view(people.read_person(kernel, host, made.ids["person_id"]))
    show(view, is_json=is_json, lines=[view["person_id"]])


@person.command()
@click.argument("email")
@click.option("--add", "added", multiple=True, help="A role to give; may be repeated.")
@click.option("--remove", "removed", multiple=True, help="A role to take; may be repeated.")
@as_json
@in_space
def role(
    place: Place,
    space: str | None,
    email: str,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    *,
    is_json: bool,
) -> None:
    """Give and take roles."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import people, views
        from tarimba.identity.drafts import PersonChange

        found = people.find_person(kernel, host, email)
        change = PersonChange.of(roles=[*(found.roles - {*removed}), *added])
        people.change_person(kernel, host, found.person_id, change)
        view = views.person_view(people.read_person(kernel, host, found.person_id))
    show(view, is_json=is_json, lines=[" ".join(view["roles"]) or "(no role)"])


@person.command()
@click.argument("email")
@click.option("--expires-at", metavar="MOMENT", help="RFC 3339 moment from which it opens nothing.")
@as_json
@in_space
def token(place: Place, space: str | None, email: str, expires_at: str | None, *, is_json: bool) -> None:
    """Make a personal token for the API and print it: it is never shown again."""
    from tarimba.identity import people
    from tarimba.identity.fields import checked_moment

    ends = checked_moment("--expires-at", expires_at)
    with hosted(place, space) as (kernel, host):
        found = people.find_person(kernel, host, email)
        minted = people.issue_token(kernel, host, found.person_id, ends)
    made = {
        "person_id": found.person_id,
        "token_id": minted.done.ids["token_id"],
        "token": minted.secret,
    }
    show(made, is_json=is_json, lines=[minted.secret])


@person.command("revoke-tokens")
@click.argument("email")
@as_json
@in_space
def revoke_tokens(place: Place, space: str | None, email: str, *, is_json: bool) -> None:
    """Revoke every personal token of a person."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import people

        found = people.find_person(kernel, host, email)
        count = people.revoke_tokens(kernel, host, found.person_id)
    show({"person_id": found.person_id, "revoked": count}, is_json=is_json, lines=[f"{count} revoked."])
