"""A space as a file declares it: TOML to checked drafts. Reads nothing but the text it is given.

Errors name the place in the file, as in `agent[0].key[1].scopes`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tarimba.errors import Refusal, invalid
from tarimba.identity import fields
from tarimba.identity.drafts import (
    AgentChange,
    NewAgent,
    NewKey,
    NewPerson,
    NewSubscription,
    NewVendor,
    PersonChange,
)
from tarimba.identity.schemas import (
    AgentMemoryBody,
    ConversationsBody,
    EvolutionBody,
    PersonalDataBody,
    SkillsBody,
    WorkspacesBody,
)
from tarimba.identity.setting_rules import checked

_SHOWN = 3


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _SpaceTable(_Table):
    slug: str
    name: str | None = None
    language: str | None = None
    environment: str | None = None


class _VendorTable(_Table):
    slug: str
    name: str | None = None


class _KeyTable(_Table):
    name: str
    scopes: list[str]
    expires_at: datetime | str | None = None


class _AgentTable(_Table):
    slug: str
    vendor: str
    name: str | None = None
    harness: str | None = None
    task_section: bool | None = None
    persona: dict[str, str] = Field(default_factory=dict)
    key: list[_KeyTable] = Field(default_factory=list)


class _PersonTable(_Table):
    slug: str
    email: str
    name: str | None = None
    language: str | None = None
    roles: list[str] | None = None


class _SubscriptionTable(_Table):
    slug: str
    name: str | None = None
    members: list[str] = Field(default_factory=list)


class _WorkspaceTable(_Table):
    subscription: str
    agent: str
    members: list[str] = Field(default_factory=list)
    projects: list[str] = Field(default_factory=list)


class _VocabularyTable(_Table):
    term: str
    reason: str
    confirmed: bool = False


class _WitnessTable(_Table):
    key: str


class _File(_Table):
    space: _SpaceTable
    agent_memory: AgentMemoryBody = Field(default_factory=AgentMemoryBody)
    personal_data: PersonalDataBody = Field(default_factory=PersonalDataBody)
    conversations: ConversationsBody = Field(default_factory=ConversationsBody)
    evolution: EvolutionBody = Field(default_factory=EvolutionBody)
    skills: SkillsBody = Field(default_factory=SkillsBody)
    workspaces: WorkspacesBody = Field(default_factory=WorkspacesBody)
    vocabulary: list[_VocabularyTable] = Field(default_factory=list)
    vendor: list[_VendorTable] = Field(default_factory=list)
    agent: list[_AgentTable] = Field(default_factory=list)
    key: list[_KeyTable] = Field(default_factory=list)
    person: list[_PersonTable] = Field(default_factory=list)
    subscription: list[_SubscriptionTable] = Field(default_factory=list)
    workspace: list[_WorkspaceTable] = Field(default_factory=list)
    witness: list[_WitnessTable] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SpaceEntry:
    """None leaves what is there; a new space then gets its slug for a name, `pt` and `live`."""

    slug: str
    name: str | None
    language: str | None
    environment: str | None


@dataclass(frozen=True, slots=True)
class VendorEntry:
    where: str
    new: NewVendor
    name: str | None


@dataclass(frozen=True, slots=True)
class KeyEntry:
    where: str
    new: NewKey


@dataclass(frozen=True, slots=True)
class AgentEntry:
    where: str
    new: NewAgent
    change: AgentChange
    keys: tuple[KeyEntry, ...]


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """`change.roles` are roles to have, beside those that are there."""

    where: str
    new: NewPerson
    change: PersonChange


@dataclass(frozen=True, slots=True)
class SubscriptionEntry:
    where: str
    new: NewSubscription
    name: str | None


@dataclass(frozen=True, slots=True)
class PersonaEntry:
    """The texts of an agent's persona as the file has them, not yet checked."""

    where: str
    agent: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WorkspaceEntry:
    """Workspaces of these members with one agent, each with these projects, not yet checked."""

    where: str
    subscription: str
    agent: str
    members: tuple[str, ...]
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VocabularyEntry:
    """A term of the space as the file has it, not yet checked: what a term may be is not known here."""

    where: str
    term: str
    reason: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class WitnessEntry:
    """The public key of a witness as the file has it, not yet checked."""

    where: str
    key: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole file. `where` in its entries is the place before a field's name, `agent[0].`."""

    space: SpaceEntry
    settings: Mapping[str, Any]
    vendors: tuple[VendorEntry, ...]
    agents: tuple[AgentEntry, ...]
    keys: tuple[KeyEntry, ...]
    people: tuple[PersonEntry, ...]
    subscriptions: tuple[SubscriptionEntry, ...]
    vocabulary: tuple[VocabularyEntry, ...]
    personas: tuple[PersonaEntry, ...]
    workspaces: tuple[WorkspaceEntry, ...]
    witnesses: tuple[WitnessEntry, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises 422 `invalid_input` with one sentence that names the place."""
        file = _read(text)
        _refuse_twins(file)
        return cls(
            _space(file.space),
            _settings(file),
            tuple(_vendor(table, f"vendor[{at}].") for at, table in enumerate(file.vendor)),
            tuple(_agent(table, f"agent[{at}].") for at, table in enumerate(file.agent)),
            _keys(file.key, "", NewKey.of_space),
            tuple(_person(table, f"person[{at}].") for at, table in enumerate(file.person)),
            tuple(_subscription(table, f"subscription[{at}].") for at, table in enumerate(file.subscription)),
            tuple(
                VocabularyEntry(f"vocabulary[{at}].", table.term, table.reason, table.confirmed)
                for at, table in enumerate(file.vocabulary)
            ),
            tuple(
                PersonaEntry(f"agent[{at}].", table.slug, table.persona)
                for at, table in enumerate(file.agent)
                if table.persona
            ),
            tuple(_workspace(table, f"workspace[{at}].") for at, table in enumerate(file.workspace)),
            tuple(WitnessEntry(f"witness[{at}].", table.key) for at, table in enumerate(file.witness)),
        )

    def refuse_dangling(self, now: int) -> None:
        """Raises 422 when the file alone does not hold all that it names: what a new space can be made of."""
        vendors = {entry.new.slug for entry in self.vendors}
        for agent in self.agents:
            if agent.new.vendor not in vendors:
                raise invalid(f"{agent.where}vendor", "must be the slug of a vendor of this space")
        people = {entry.new.slug for entry in self.people}
        for subscription in self.subscriptions:
            if not people.issuperset(subscription.new.members):
                raise invalid(f"{subscription.where}members", "must hold slugs of people of this space")
        self._refuse_dangling_roles()
        self._refuse_dangling_workspaces()
        for key in (*self.keys, *(key for agent in self.agents for key in agent.keys)):
            if key.new.expires_at is not None and key.new.expires_at <= now:
                raise invalid(f"{key.where}expires_at", "must lie in the future")

    def _refuse_dangling_roles(self) -> None:
        subscriptions = {entry.new.slug for entry in self.subscriptions}
        for person in self.people:
            managed = {fields.managed_subscription(role) for role in person.new.roles} - {None}
            if not managed <= subscriptions:
                raise invalid(f"{person.where}roles", "must name a subscription of this space after manager@")

    def _refuse_dangling_workspaces(self) -> None:
        members = {entry.new.slug: set(entry.new.members) for entry in self.subscriptions}
        agents = {entry.new.slug for entry in self.agents}
        for one in self.workspaces:
            if one.agent not in agents or not members.get(one.subscription, set()).issuperset(one.members):
                raise dangling(one)


def dangling(entry: WorkspaceEntry) -> Refusal:
    """422 for a workspace of somebody or something that is not there."""
    return invalid(
        entry.where.rstrip("."), "must name an agent, a subscription and members of it by their slugs"
    )


def _read(text: str) -> _File:
    try:
        return _File.model_validate(tomllib.loads(text), strict=True)
    except tomllib.TOMLDecodeError as error:
        raise Refusal("invalid_input", f"The file is not readable as TOML: {error}.") from None
    except ValidationError as error:
        found = [_sentence(item["loc"], item["type"], item["msg"]) for item in error.errors()]
        raise Refusal("invalid_input", f"{'; '.join(found[:_SHOWN])}.") from None


def _sentence(place: Sequence[str | int], kind: str, message: str) -> str:
    words = {"extra_forbidden": "there is no such key", "missing": "is needed"}
    return f"{_path(place)}: {words.get(kind, message.removeprefix('Input '))}"


def _path(place: Sequence[str | int]) -> str:
    path = ""
    for step in place:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".")


def _refuse_twins(file: _File) -> None:
    for table, entries in (
        ("vendor", file.vendor),
        ("agent", file.agent),
        ("person", file.person),
        ("subscription", file.subscription),
    ):
        _refuse_repeated((entry.slug for entry in entries), table, "slug")
    _refuse_repeated((person.email.lower() for person in file.person), "person", "email")
    _refuse_repeated((key.name for key in file.key), "key", "name")
    for at, agent in enumerate(file.agent):
        _refuse_repeated((key.name for key in agent.key), f"agent[{at}].key", "name")


def _refuse_repeated(values: Iterable[str], table: str, field: str) -> None:
    seen: set[str] = set()
    for at, value in enumerate(values):
        if value in seen:
            raise invalid(f"{table}[{at}].{field}", "stands in the file twice")
        seen.add(value)


def _settings(file: _File) -> dict[str, Any]:
    places = (file.skills, file.workspaces)
    parts = (file.agent_memory, file.personal_data, file.conversations, file.evolution, *places)
    changes = {name: value for part in parts for name, value in part.changes().items()}
    return {name: checked(name, value) for name, value in changes.items()}


def _space(table: _SpaceTable) -> SpaceEntry:
    if table.environment is not None:
        fields.checked_choice("space.environment", table.environment, fields.ENVIRONMENTS)
    if table.language is not None:
        fields.checked_choice("space.language", table.language, fields.LANGUAGES)
    name = None if table.name is None else fields.checked_name("space.name", table.name)
    return SpaceEntry(fields.checked_slug("space.slug", table.slug), name, table.language, table.environment)


def _vendor(table: _VendorTable, where: str) -> VendorEntry:
    new = NewVendor.of(table.slug, table.name, where)
    return VendorEntry(where, new, None if table.name is None else new.name)


def _agent(table: _AgentTable, where: str) -> AgentEntry:
    change = AgentChange.of(table.name, table.harness, table.task_section, where)
    new = NewAgent.of(table.slug, table.vendor, change, where)
    return AgentEntry(where, new, change, _keys(table.key, where, NewKey.of_agent))


def _keys(tables: Sequence[_KeyTable], where: str, make: Callable[..., NewKey]) -> tuple[KeyEntry, ...]:
    entries = []
    for at, table in enumerate(tables):
        place = f"{where}key[{at}]."
        entries.append(KeyEntry(place, make(table.name, table.scopes, table.expires_at, place)))
    return tuple(entries)


def _person(table: _PersonTable, where: str) -> PersonEntry:
    change = PersonChange.of(
        name=table.name, email=table.email, language=table.language, roles=table.roles, where=where
    )
    return PersonEntry(where, NewPerson.of(table.slug, change, where), change)


def _subscription(table: _SubscriptionTable, where: str) -> SubscriptionEntry:
    new = NewSubscription.of(table.slug, table.name, table.members, where)
    return SubscriptionEntry(where, new, None if table.name is None else new.name)


def _workspace(table: _WorkspaceTable, where: str) -> WorkspaceEntry:
    return WorkspaceEntry(where, table.subscription, table.agent, tuple(table.members), tuple(table.projects))
