"""The groups of `client.api`, awaited."""

# Made by scripts/generate_client.py from the routes: change them, or it.
from __future__ import annotations

from typing import TYPE_CHECKING

from tarimba.client.api.calls import ACall

if TYPE_CHECKING:
    from tarimba.client.api.async_agents import AsyncAgents
    from tarimba.client.api.async_conversations import AsyncConversations
    from tarimba.client.api.async_curation import AsyncCuration
    from tarimba.client.api.async_customers import AsyncCustomers
    from tarimba.client.api.async_graph import AsyncGraph
    from tarimba.client.api.async_keys import AsyncKeys
    from tarimba.client.api.async_memory_files import AsyncMemoryFiles
    from tarimba.client.api.async_notes import AsyncNotes
    from tarimba.client.api.async_people import AsyncPeople
    from tarimba.client.api.async_personal_data import AsyncPersonalData
    from tarimba.client.api.async_proposals import AsyncProposals
    from tarimba.client.api.async_published_skills import AsyncPublishedSkills
    from tarimba.client.api.async_receipts import AsyncReceipts
    from tarimba.client.api.async_secrets import AsyncSecrets
    from tarimba.client.api.async_server import AsyncServer
    from tarimba.client.api.async_shared_files import AsyncSharedFiles
    from tarimba.client.api.async_skill_drafts import AsyncSkillDrafts
    from tarimba.client.api.async_skills import AsyncSkills
    from tarimba.client.api.async_webhooks import AsyncWebhooks
    from tarimba.client.api.async_workspaces import AsyncWorkspaces


class AsyncApi:
    """A group of calls for each part of the API."""

    def __init__(self, call: ACall) -> None:
        self._call = call

    @property
    def server(self) -> AsyncServer:
        from tarimba.client.api.async_server import AsyncServer

        return AsyncServer(self._call)

    @property
    def notes(self) -> AsyncNotes:
        from tarimba.client.api.async_notes import AsyncNotes

        return AsyncNotes(self._call)

    @property
    def proposals(self) -> AsyncProposals:
        from tarimba.client.api.async_proposals import AsyncProposals

        return AsyncProposals(self._call)

    @property
    def skill_drafts(self) -> AsyncSkillDrafts:
        from tarimba.client.api.async_skill_drafts import AsyncSkillDrafts

        return AsyncSkillDrafts(self._call)

    @property
    def conversations(self) -> AsyncConversations:
        from tarimba.client.api.async_conversations import AsyncConversations

        return AsyncConversations(self._call)

    @property
    def customers(self) -> AsyncCustomers:
        from tarimba.client.api.async_customers import AsyncCustomers

        return AsyncCustomers(self._call)

    @property
    def agents(self) -> AsyncAgents:
        from tarimba.client.api.async_agents import AsyncAgents

        return AsyncAgents(self._call)

    @property
    def keys(self) -> AsyncKeys:
        from tarimba.client.api.async_keys import AsyncKeys

        return AsyncKeys(self._call)

    @property
    def people(self) -> AsyncPeople:
        from tarimba.client.api.async_people import AsyncPeople

        return AsyncPeople(self._call)

    @property
    def personal_data(self) -> AsyncPersonalData:
        from tarimba.client.api.async_personal_data import AsyncPersonalData

        return AsyncPersonalData(self._call)

    @property
    def published_skills(self) -> AsyncPublishedSkills:
        from tarimba.client.api.async_published_skills import AsyncPublishedSkills

        return AsyncPublishedSkills(self._call)

    @property
    def shared_files(self) -> AsyncSharedFiles:
        from tarimba.client.api.async_shared_files import AsyncSharedFiles

        return AsyncSharedFiles(self._call)

    @property
    def skills(self) -> AsyncSkills:
        from tarimba.client.api.async_skills import AsyncSkills

        return AsyncSkills(self._call)

    @property
    def graph(self) -> AsyncGraph:
        from tarimba.client.api.async_graph import AsyncGraph

        return AsyncGraph(self._call)

    @property
    def curation(self) -> AsyncCuration:
        from tarimba.client.api.async_curation import AsyncCuration

        return AsyncCuration(self._call)

    @property
    def secrets(self) -> AsyncSecrets:
        from tarimba.client.api.async_secrets import AsyncSecrets

        return AsyncSecrets(self._call)

    @property
    def receipts(self) -> AsyncReceipts:
        from tarimba.client.api.async_receipts import AsyncReceipts

        return AsyncReceipts(self._call)

    @property
    def webhooks(self) -> AsyncWebhooks:
        from tarimba.client.api.async_webhooks import AsyncWebhooks

        return AsyncWebhooks(self._call)

    @property
    def workspaces(self) -> AsyncWorkspaces:
        from tarimba.client.api.async_workspaces import AsyncWorkspaces

        return AsyncWorkspaces(self._call)

    @property
    def memory_files(self) -> AsyncMemoryFiles:
        from tarimba.client.api.async_memory_files import AsyncMemoryFiles

        return AsyncMemoryFiles(self._call)
