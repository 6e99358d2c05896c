"""Every table. Each starts with `space_id` in its key; whatever is derived says which version derived it."""

from __future__ import annotations

from tarimba.storage.schema import metadata
from tarimba.storage.tables_context import context_pin
from tarimba.storage.tables_conversations import (
    conversation,
    conversation_alias,
    forget_request,
    handle,
    identity_link,
    profile,
    turn,
)
from tarimba.storage.tables_graph import (
    graph,
    graph_change,
    graph_entity,
    graph_observation,
    graph_posting,
    graph_relation,
    graph_vector,
    graph_word,
    open_turn,
)
from tarimba.storage.tables_identity import (
    agent,
    agent_key,
    installation,
    person,
    person_role,
    person_token,
    space,
    space_head,
    space_setting,
    subscription,
    subscription_member,
    vendor,
)
from tarimba.storage.tables_learning import evolution_mark, proposal, skill_draft, task_record
from tarimba.storage.tables_log import (
    block_notes,
    idempotency,
    job,
    log_check,
    log_checkpoint,
    log_cold,
    log_cosignature,
    log_count,
    log_node,
    log_witness,
    outbox,
    receipt_bundle,
    receipt_ref,
    signing_key,
)
from tarimba.storage.tables_notes import (
    agent_event,
    id_surrogate,
    note_chain,
    note_outcome,
    note_term,
    note_version,
    refusal_count,
)
from tarimba.storage.tables_personal_data import known_customer, space_knowledge, vocabulary
from tarimba.storage.tables_sign_in import person_secret, person_session, sign_in_failure, sign_in_link
from tarimba.storage.tables_skills import blob, shared_file, skill, skill_version
from tarimba.storage.tables_webhooks import webhook, webhook_delivery, webhook_mark
from tarimba.storage.tables_workspaces import memory_version, persona, secret, workspace, workspace_project

# A mutation of one of these needs a receipt in the same savepoint, or it is not committed.
GOVERNED = frozenset(
    t.name
    for t in (
        space, space_setting, vendor, agent, agent_key, person, person_role, person_token, person_secret, subscription,
        subscription_member, note_chain, note_version, note_outcome, vocabulary,
        known_customer, proposal, skill_draft, webhook, turn, skill, skill_version, shared_file,
        graph_entity, graph_observation, graph_relation, workspace, workspace_project, memory_version, secret,
        persona, signing_key, log_witness, log_cold,
    )
)  # fmt: skip
# Of these only what is added needs one: rows move when two turn out to be one customer, and end when the time is over
# for which the space keeps them, or by a request to forget, whose one receipt is its own.
GOVERNED_WHEN_ADDED = frozenset({turn.name})

__all__ = [
    "GOVERNED", "GOVERNED_WHEN_ADDED", "agent", "agent_event", "agent_key", "blob", "block_notes",
    "context_pin", "conversation", "conversation_alias", "evolution_mark", "forget_request", "graph",
    "graph_change", "graph_entity", "graph_observation", "graph_posting", "graph_relation", "graph_vector",
    "graph_word", "handle", "id_surrogate", "idempotency", "identity_link", "installation", "job",
    "known_customer", "log_check", "log_checkpoint", "log_cold", "log_cosignature", "log_count", "log_node",
    "log_witness", "memory_version", "metadata",
    "note_chain", "note_outcome", "note_term", "note_version", "open_turn", "outbox", "person",
    "person_role", "person_secret", "person_session", "person_token", "persona", "profile", "proposal",
    "receipt_bundle", "receipt_ref", "refusal_count", "secret", "shared_file", "sign_in_failure",
    "sign_in_link", "signing_key", "skill", "skill_draft", "skill_version", "space", "space_head",
    "space_knowledge", "space_setting", "subscription", "subscription_member", "task_record", "turn",
    "vendor", "vocabulary", "webhook", "webhook_delivery", "webhook_mark", "workspace", "workspace_project",
]  # fmt: skip
