"""A company with two subscriptions, a manager of one of them, and what they publish."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, update

from tarimba.identity.model import Principal
from tarimba.identity.tokens import mint_token
from tarimba.ids import digest, new_id
from tarimba.kernel import Kernel
from tarimba.skills import publishing, removing, sharing
from tarimba.skills.access import Asked
from tarimba.skills.drafting import Offer
from tarimba.skills.publishing import Outcome
from tarimba.storage.once import Done
from tarimba.storage.tables import agent, person, person_role, person_token, subscription
from tests.contract.notes.world import World

NAME = "close-month"
SPACE = Asked()
NORTH = Asked("subscription", "north")


def text_of(
    name: str = NAME, *, words: str = "Lock it first.", description: str = "Use when a month ends."
) -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\n{words}\n".encode()


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made.getvalue()


@dataclass
class Stage:
    """`world` with the subscriptions `north` and `south`; the caller `keeper` manages the first."""

    world: World
    subscriptions: dict[str, str] = field(default_factory=dict)

    @property
    def kernel(self) -> Kernel:
        return self.world.kernel

    def caller(self, name: str) -> Principal:
        return self.world.caller(name)

    def set_harness(self, agent_name: str, harness: str) -> None:
        mine = (agent.c.space_id == self.world.space_id, agent.c.slug == agent_name)
        with self.kernel.database.write() as connection:
            connection.execute(update(agent).where(*mine).values(harness=harness))

    def publish(
        self, text: bytes | None = None, asked: Asked = SPACE, *, who: str = "admin", **options: Any
    ) -> Outcome:
        """The text of SKILL.md, or the `files` of an archive."""
        files = options.pop("files", None)
        offer = Offer(
            options.pop("name", ""),
            archive=None if files is None else zipped(files),
            text=(text_of() if text is None else text) if files is None else None,
        )
        return publishing.publish(self.kernel, self.caller(who), asked, offer, **options)

    def roll_back(self, version: int | None = None, asked: Asked = SPACE, **options: Any) -> Outcome:
        who = self.caller(options.pop("who", "admin"))
        return publishing.roll_back(self.kernel, who, asked, NAME, version, **options)

    def remove(self, asked: Asked = SPACE, *, who: str = "admin", name: str = NAME, **options: Any) -> Done:
        return removing.remove(self.kernel, self.caller(who), asked, name, **options)

    def erase(self, asked: Asked = SPACE, *, who: str = "admin", name: str = NAME, **options: Any) -> Done:
        return removing.erase(self.kernel, self.caller(who), asked, name, **options)

    def share(
        self, path: str = "rates.csv", content: bytes = b"a,b", asked: Asked = SPACE, **options: Any
    ) -> Done:
        who = self.caller(options.pop("who", "admin"))
        return sharing.share(self.kernel, who, asked, sharing.Given(path, content), **options)

    def unshare(self, path: str = "rates.csv", asked: Asked = SPACE, **options: Any) -> Done:
        return sharing.unshare(self.kernel, self.caller(options.pop("who", "admin")), asked, path, **options)


def stage_of(world: World) -> Stage:
    stage = Stage(world)
    with world.kernel.database.write() as connection:
        for ordinal, slug in enumerate(("north", "south")):
            stage.subscriptions[slug] = new_id()
            mine = {"space_id": world.space_id, "subscription_id": stage.subscriptions[slug]}
            row = mine | {"slug": slug, "name": slug, "created_at": 0, "ordinal": ordinal}
            connection.execute(insert(subscription).values(**row))
        for name, role in (("keeper", "manager@north"), ("other", "manager@south")):
            mine = {"space_id": world.space_id, "person_id": new_id()}
            named = mine | {"slug": name, "email": f"{name}@acme.example", "name": name, "language": "en"}
            connection.execute(insert(person).values(**named, created_at=0, ordinal=50))
            connection.execute(insert(person_role).values(**mine, role=role))
            bearer, token_id = mint_token()
            token = {"token_id": token_id, "digest": digest(bearer), "created_at": 0}
            connection.execute(insert(person_token).values(**mine, **token))
            world.bearers[name] = bearer
    return stage
