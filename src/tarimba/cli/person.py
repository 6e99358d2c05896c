"""`tarimba person`: people of a space, their roles and personal tokens."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, show


@click.group()
def person() -> None:
    """People, their roles and personal tokens."""


@person.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List people."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        found = hosting.all_people(kernel, host)
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
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        view = hosting.add_person(
            kernel, host, slug=slug, email=email, name=name, language=language, roles=roles
        )
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
        from tarimba.identity import hosting

        view = hosting.change_roles(kernel, host, email, added, removed)
    show(view, is_json=is_json, lines=[" ".join(view["roles"]) or "(no role)"])


@person.command()
@click.argument("email")
@click.option("--expires-at", metavar="MOMENT", help="RFC 3339 moment from which it opens nothing.")
@as_json
@in_space
def token(place: Place, space: str | None, email: str, expires_at: str | None, *, is_json: bool) -> None:
    """Make a personal token for the API and print it: it is never shown again."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        made = hosting.issue_token(kernel, host, email, expires_at)
    show(made, is_json=is_json, lines=[made["token"]])


@person.command("revoke-tokens")
@click.argument("email")
@as_json
@in_space
def revoke_tokens(place: Place, space: str | None, email: str, *, is_json: bool) -> None:
    """Revoke every personal token of a person."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        revoked = hosting.revoke_tokens(kernel, host, email)
    show(revoked, is_json=is_json, lines=[f"{revoked['revoked']} revoked."])


@person.command()
@click.argument("email")
@click.option(
    "--without-second-factor", "drops_factor", is_flag=True, help="Take a second factor away that was lost."
)
@click.option(
    "--without-provider",
    "drops_provider",
    is_flag=True,
    help="Forget whom the sign-in provider knows them as: their next sign-in by it tells anew.",
)
@as_json
@in_space
def link(
    place: Place, space: str | None, email: str, *, drops_factor: bool, drops_provider: bool, is_json: bool
) -> None:
    """Make a one-time link to the Console for a person, who sets a password there. It works for a day."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        made = hosting.link(kernel, host, email, drops_factor=drops_factor, drops_provider=drops_provider)
    show(made, is_json=is_json, lines=[made["link"]])
