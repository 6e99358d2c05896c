"""The groups of `client.api`."""

# Made by scripts/generate_client.py from the routes: change them, or it.
from __future__ import annotations

from typing import TYPE_CHECKING

from tarimba.client.api.calls import Call

if TYPE_CHECKING:
    from tarimba.client.api.agents import Agents
    from tarimba.client.api.conversations import Conversations
    from tarimba.client.api.curation import Curation
    from tarimba.client.api.customers import Customers
    from tarimba.client.api.graph import Graph
    from tarimba.client.api.keys import Keys
    from tarimba.client.api.memory_files import MemoryFiles
    from tarimba.client.api.notes import Notes
    from tarimba.client.api.people import People
    from tarimba.client.api.personal_data import PersonalData
    from tarimba.client.api.proposals import Proposals
    from tarimba.client.api.published_skills import PublishedSkills
    from tarimba.client.api.receipts import Receipts
    from tarimba.client.api.secrets import Secrets
    from tarimba.client.api.server import Server
    from tarimba.client.api.shared_files import SharedFiles
    from tarimba.client.api.skill_drafts import SkillDrafts
    from tarimba.client.api.skills import Skills
    from tarimba.client.api.webhooks import Webhooks
    from tarimba.client.api.workspaces import Workspaces


class Api:
    """A group of calls for each part of the API."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def server(self) -> Server:
        from tarimba.client.api.server import Server

        return Server(self._call)

    @property
    def notes(self) -> Notes:
        from tarimba.client.api.notes import Notes

        return Notes(self._call)

    @property
    def proposals(self) -> Proposals:
        from tarimba.client.api.proposals import Proposals

        return Proposals(self._call)

    @property
    def skill_drafts(self) -> SkillDrafts:
        from tarimba.client.api.skill_drafts import SkillDrafts

        return SkillDrafts(self._call)

    @property
    def conversations(self) -> Conversations:
        from tarimba.client.api.conversations import Conversations

        return Conversations(self._call)

    @property
    def customers(self) -> Customers:
        from tarimba.client.api.customers import Customers

        return Customers(self._call)

    @property
    def agents(self) -> Agents:
        from tarimba.client.api.agents import Agents

        return Agents(self._call)

    @property
    def keys(self) -> Keys:
        from tarimba.client.api.keys import Keys

        return Keys(self._call)

    @property
    def people(self) -> People:
        from tarimba.client.api.people import People

        return People(self._call)

    @property
    def personal_data(self) -> PersonalData:
        from tarimba.client.api.personal_data import PersonalData

        return PersonalData(self._call)

    @property
    def published_skills(self) -> PublishedSkills:
        from tarimba.client.api.published_skills import PublishedSkills

        return PublishedSkills(self._call)

    @property
    def shared_files(self) -> SharedFiles:
        from tarimba.client.api.shared_files import SharedFiles

        return SharedFiles(self._call)

    @property
    def skills(self) -> Skills:
        from tarimba.client.api.skills import Skills

        return Skills(self._call)

    @property
    def graph(self) -> Graph:
        from tarimba.client.api.graph import Graph

        return Graph(self._call)

    @property
    def curation(self) -> Curation:
        from tarimba.client.api.curation import Curation

        return Curation(self._call)

    @property
    def secrets(self) -> Secrets:
        from tarimba.client.api.secrets import Secrets

        return Secrets(self._call)

    @property
    def receipts(self) -> Receipts:
        from tarimba.client.api.receipts import Receipts

        return Receipts(self._call)

    @property
    def webhooks(self) -> Webhooks:
        from tarimba.client.api.webhooks import Webhooks

        return Webhooks(self._call)

    @property
    def workspaces(self) -> Workspaces:
        from tarimba.client.api.workspaces import Workspaces

        return Workspaces(self._call)

    @property
    def memory_files(self) -> MemoryFiles:
        from tarimba.client.api.memory_files import MemoryFiles

        return MemoryFiles(self._call)
