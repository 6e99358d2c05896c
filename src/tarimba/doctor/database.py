"""The database: whether it answers, keeps what it acknowledged, has the right schema and key, and its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError

from tarimba.clock import SECOND, Clock, rfc3339
from tarimba.doctor.model import Finding, fail, ok, warn
from tarimba.errors import Refusal
from tarimba.settings import Settings
from tarimba.spaces import SpaceKeys
from tarimba.storage import Database, DatabaseError, migrate
from tarimba.storage.tables import space, space_head, webhook
from tarimba.vault import VaultError, open_vault

# How far clocks and the time of a space may be apart before somebody should look, and before it is wrong.
_NEAR: Final = 2 * SECOND
_FAR: Final = 60 * SECOND
_SHOWN: Final = 10


def database(settings: Settings) -> Iterator[Finding]:
    """The checks of the database. They write nothing into it."""
    file = Path(settings.url.removeprefix("sqlite:///"))
    if settings.url.startswith("sqlite:///") and not file.exists():
        yield warn("database.reachable", f"There is no database at {file} yet: the first start makes it.")
        return
    try:
        opened = Database(settings.url)
    except DatabaseError as error:
        yield fail("database.reachable", str(error))
        return
    with closing(opened):
        yield from _opened(settings, opened)


def _opened(settings: Settings, opened: Database) -> Iterator[Finding]:
    try:
        with opened.read() as connection:
            yield ok("database.reachable", f"The database answers ({_version(connection)}).")
        yield from _durability(opened)
        revision = migrate.state(opened)
        yield _schema(revision)
        if revision.revision is not None and revision.problem is None:
            yield _key(settings, opened)
            yield from _times(opened)
        if revision.is_complete:
            yield _webhooks(opened)
    except (DatabaseError, DBAPIError) as error:
        said = (
            str(error)
            if isinstance(error, DatabaseError)
            else "The database answers with an error of its own: see its log."
        )
        yield fail("database.reachable", said)
    except Refusal:
        yield fail(
            "database.reachable",
            "The database does not answer: see whether it runs, whether TARIMBA_DB names it with user and password, "
            "and whether a firewall is between.",
        )


def _version(connection: Connection) -> str:
    if connection.dialect.name == "sqlite":
        return f"SQLite {connection.scalar(text('SELECT sqlite_version()'))}"
    return f"PostgreSQL {connection.scalar(text('SHOW server_version'))}"


def _durability(opened: Database) -> Iterator[Finding]:
    try:
        opened.check_durability()
    except DatabaseError as error:
        yield fail("database.durability", str(error))
        return
    how = (
        "WAL, synchronous=FULL"
        if opened.is_sqlite
        else "fsync, full_page_writes and synchronous_commit are on"
    )
    yield ok("database.durability", f"What is acknowledged is on the disk ({how}).")


def _key(settings: Settings, opened: Database) -> Finding:
    check = "database.master_key"
    try:
        vault = open_vault(settings, may_create=False)
        SpaceKeys(opened, vault).check()
    except VaultError as error:
        return fail(check, str(error))
    return ok(check, f"The master key (check value {vault.check_value}) opens every space.")


def _schema(found: migrate.State) -> Finding:
    check = "database.schema"
    if found.problem is not None:
        return fail(check, found.problem)
    if found.revision is None:
        return warn(check, "The database is empty: the first start makes the schema.")
    if found.is_older:
        return warn(check, f"The schema is at {found.revision}: the next start brings it to {migrate.HEAD}.")
    return ok(check, f"The schema is at {found.revision}.")


def _webhooks(opened: Database) -> Finding:
    with opened.read() as connection:
        query = select(func.count()).select_from(webhook).where(webhook.c.state == "failing")
        count = connection.execute(query).scalar_one()
    if count:
        said = f"{count} webhooks lost an event after three days of attempts: see `tarimba webhooks list`."
        return warn("database.webhooks", said)
    return ok("database.webhooks", "No webhook is failing.")


def _times(opened: Database) -> Iterator[Finding]:
    """The clocks, and spaces whose time is ahead of them: it stands still until the clock has caught up."""
    here = Clock().now_us()
    with opened.read() as connection:
        now = here if opened.is_sqlite else _now_of(connection)
        ahead = select(space.c.slug, space_head.c.last_at).join(
            space_head, space_head.c.space_id == space.c.space_id
        )
        ahead = ahead.where(space_head.c.last_at > now + _NEAR).order_by(space_head.c.last_at.desc())
        rows = connection.execute(ahead.limit(_SHOWN)).all()
    if not opened.is_sqlite:
        yield _apart(now - here)
    if not rows:
        yield ok("clock.spaces", "No space's time is ahead of the clock.")
    for row in rows:
        late = warn if row.last_at <= now + _FAR else fail
        yield late(
            "clock.spaces",
            f"The time of space {row.slug} stands at {rfc3339(row.last_at)}, {(row.last_at - now) // SECOND} s ahead: "
            "the clock was wrong. Receipts carry that time until the clock has caught up, and limits count from it. "
            "See to the clock first.",
        )


def _apart(apart: int) -> Finding:
    check = "clock.database"
    said = (
        f"PostgreSQL's clock, which gives spaces their time, and ours are {abs(apart) / SECOND:.1f} s apart"
    )
    if abs(apart) <= _NEAR:
        return ok(check, f"{said}.")
    advice = "keep both in step by NTP, or sessions, links and tokens end too early or too late."
    return (warn if abs(apart) <= _FAR else fail)(check, f"{said}: {advice}")


def _now_of(connection: Connection) -> int:
    now = text("SELECT (extract(epoch from clock_timestamp()) * 1000000)::bigint")
    return int(connection.execute(now).scalar_one())
