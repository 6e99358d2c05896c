"""Every field that a person or an agent fills and that a page of the Console shows, each with the way it comes in.

What is written ends with a mark of its field and its payload, by which it is found again on the pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import httpx

from tarimba.graph.model import NewEntity, NewObservation, NewRelation
from tarimba.workspaces.documents import PERSONA
from tests.contract.console.seat import Own
from tests.e2e.company import MEMORY

# Rooms in which everything that is written here fits.
ROOM: Final = {
    "title_max": 200,
    "writes": "agent",
    "writes_per_hour": 10_000,
    "refusals_per_hour": 10_000,
    "active_notes_max": 10_000,
}
_SEAT: Final = MappingProxyType({"subscription": "team", "agent": "billing"})
_MARK: Final = re.compile(r"zq([a-z_]+)z(\d+)z")


# Those that a page shows. A receipt keeps what was looked for, a turn and the words of a view to itself.
FIELDS: Final = (
    "agent", "agent_key", "body", "edited_body", "edited_title", "email", "entity", "entity_type", "learned_talk",
    "left_description", "left_path", "left_text", "memory", "note_talk", "note_task", "notebook", "observation",
    "offered_body", "offered_talk", "offered_task", "offered_title", "other_entity", "own_description", "own_file",
    "own_path", "own_text", "person", "persona", "project", "public_path", "read_talk", "reason", "rejected_body",
    "rejected_talk", "rejected_task", "rejected_title", "relation", "search_talk", "shared_path", "skill_description",
    "skill_text", "space", "space_key", "subscription", "term", "title", "told_observation", "vendor",
)  # fmt: skip


def marked(field: str, number: int, payload: str) -> str:
    return f"{payload} zq{field}z{number}z"


def marks(text: str) -> Iterator[tuple[str, int]]:
    """The marks in a text: the field and the number of the payload."""
    for field, number in _MARK.findall(text):
        yield field, int(number)


@dataclass(frozen=True, slots=True)
class Pen:
    """One payload, and who writes it into fields."""

    own: Own
    number: int
    payload: str

    def text(self, field: str) -> str:
        return marked(field, self.number, self.payload)

    def ask(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        """What a rule refuses is no field for it."""
        answer = self.own.call(who, method, path, **options)
        assert answer.status_code in {200, 201, 202, 204, 409, 422}, (path, answer.text)
        return answer


def _note(pen: Pen) -> None:
    evidence = {"conversation_id": pen.text("note_talk"), "task_id": pen.text("note_task")}
    note = {"kind": "procedure", "title": pen.text("title"), "body": pen.text("body"), "evidence": evidence}
    made = pen.ask("billing", "POST", f"{MEMORY}/notes", json=note)
    if made.status_code == 201 and made.json()["note"] is not None:
        path = f"{MEMORY}/notes/{made.json()['note']['note_id']}"
        pen.ask(
            "owner", "PATCH", path, json={"body": pen.text("edited_body"), "title": pen.text("edited_title")}
        )


def _proposal(pen: Pen) -> str:
    """One that waits and one that is turned down with a reason; where the second one is shown."""
    for field in ("offered", "rejected"):
        evidence = {"conversation_id": pen.text(f"{field}_talk"), "task_id": pen.text(f"{field}_task")}
        note = {"kind": "procedure", "title": pen.text(f"{field}_title"), "body": pen.text(f"{field}_body")}
        waiting = pen.ask("billing", "POST", f"{MEMORY}/notes", json=note | {"evidence": evidence}).json()
    reason = {"reason": pen.text("reason")}
    pen.ask("reviewer", "POST", f"{MEMORY}/proposals/{waiting['proposal_id']}/reject", json=reason)
    return f"/inbox/{waiting['proposal_id']}"


def _read(pen: Pen) -> None:
    """What an agent says of where it reads: receipts keep it."""
    asked = {
        "conversation_id": pen.text("read_talk"),
        "task_id": pen.text("read_task"),
        "view": pen.text("view"),
    }
    pen.ask("billing", "GET", f"{MEMORY}/block", params=asked)
    searched = {"query": pen.text("query"), "conversation_id": pen.text("search_talk")}
    pen.ask("billing", "POST", f"{MEMORY}/search", json=searched)


def _fleet(pen: Pen) -> None:
    slug = f"x{pen.number}"
    pen.ask("owner", "POST", "/v1/admin/vendors", json={"slug": slug, "name": pen.text("vendor")})
    agent = {"slug": slug, "vendor": "north", "name": pen.text("agent")}
    made = pen.ask("owner", "POST", "/v1/admin/agents", json=agent)
    key = {"name": pen.text("agent_key"), "scopes": ["track"]}
    pen.ask("owner", "POST", f"/v1/admin/agents/{made.json()['source_id']}/keys", json=key)
    pen.ask("owner", "POST", "/v1/admin/keys", json={"name": pen.text("space_key"), "scopes": ["admin"]})
    documents = {name: pen.text("persona") for name in PERSONA}
    path = f"/v1/admin/agents/{made.json()['source_id']}/persona"
    pen.ask("owner", "PUT", path, json={"documents": documents}, headers={"if-match": "*"})


def _people(pen: Pen) -> None:
    slug = f"x{pen.number}"
    email = "".join(pen.payload.split()).replace("@", "")[:64]
    person = {"slug": slug, "name": pen.text("person"), "email": f"{email}@zqemailz{pen.number}z.example"}
    pen.ask("owner", "POST", "/v1/admin/people", json=person | {"roles": ["reviewer"]})
    team = {"slug": slug, "name": pen.text("subscription"), "members": ["member"]}
    pen.ask("owner", "POST", "/v1/admin/subscriptions", json=team)


def _settings(pen: Pen) -> None:
    term = {"term": pen.text("term"), "reason": "system_name", "confirmed": True}
    pen.ask("owner", "POST", "/v1/admin/vocabulary", json=term)


def _skill_text(pen: Pen, field: str, name: str) -> str:
    described = json.dumps(pen.text(f"{field}_description"))
    return f"---\nname: {name}\ndescription: {described}\n---\n{pen.text(f'{field}_text')}\n"


def _skills(pen: Pen) -> None:
    """One of administrators, one of the member, each with a file; and what the agent leaves on the disk."""
    name = f"x{pen.number}"
    body = _skill_text(pen, "skill", name).encode()
    pen.ask("manager", "POST", "/v1/admin/skills", files={"body": body})
    shared = {"path": f"{_path(pen)}-zqshared_pathz{pen.number}z.md"}
    pen.ask(
        "manager", "POST", "/v1/admin/files", data=shared, files={"file": pen.text("shared_text").encode()}
    )
    wanted = {"params": _SEAT | {"name": f"own-{name}"}}
    pen.ask("member", "PUT", "/v1/skills", json={"text": _skill_text(pen, "own", f"own-{name}")}, **wanted)
    beside = _SEAT | {"name": f"own-{name}", "path": f"references/{_path(pen)}-zqown_pathz{pen.number}z.md"}
    pen.ask("member", "PUT", "/v1/skills", json={"text": pen.text("own_file")}, params=beside)
    root = pen.own.seat.profile.own_root
    pen.own.agent_writes(f"{root}/left-{name}/SKILL.md", _skill_text(pen, "left", f"left-{name}"))
    pen.own.agent_writes(f"{root}/{_path(pen)}-zqleft_pathz{pen.number}z/SKILL.md", "no frontmatter\n")


def _path(pen: Pen) -> str:
    """The payload as one name of a file."""
    return pen.payload.replace("/", "").strip(". ")[:80] or "x"


def _memory(pen: Pen) -> None:
    project = {"project": f"x{pen.number}", "name": pen.text("project")}
    pen.ask("member", "POST", "/v1/projects", json=project | _SEAT)
    pen.own.agent_writes(f"public/{_path(pen)}-zqpublic_pathz{pen.number}z.txt", pen.payload)


def _graph(pen: Pen) -> None:
    """What the agent learns, and what the member changes of it."""
    name, other = pen.text("entity"), pen.text("other_entity")
    seen = NewObservation(pen.text("observation"))
    pen.own.learn(
        pen.text("learned_talk"),
        NewEntity(name, pen.text("entity_type"), (seen,)),
        NewEntity(other, "x"),
        NewRelation(name, other, pen.text("relation")),
    )
    told = {"name": name, "observations": [{"text": pen.text("told_observation")}]}
    pen.ask("member", "POST", "/v1/memory-graph/observations", json=told, params=_SEAT)


def _task(pen: Pen) -> None:
    """Tasks of which a round of evolution drafts a skill, and what a turn of a conversation tells."""
    items: list[dict[str, Any]] = []
    for number in range(2):
        task = f"{pen.text('task')}-{number}"
        items += [_action(pen, task, operation) for operation in ("invoice.void", f"step-{pen.number}.run")]
        items.append({"type": "task.ended", "task_id": task, "idempotency_key": f"end-{task}"})
    turn = {
        "type": "event",
        "event": "message",
        "idempotency_key": f"turn-{pen.number}",
        "conversation_id": pen.text("turn_talk"),
        "speaker": {"role": "ai_agent", "name": pen.text("speaker")},
        "content": {"type": "text", "text": pen.text("turn")},
    }
    answer = pen.ask("billing", "POST", "/v1/batch", json={"items": [*items, turn]})
    assert answer.json()["accepted"] == len(items) + 1, answer.text


def _action(pen: Pen, task: str, operation: str) -> dict[str, Any]:
    return {
        "type": "event",
        "kind": "action",
        "action": {"operation": operation, "target": pen.text("target")},
        "content": None,
        "task_id": task,
        "conversation_id": pen.text("task_talk"),
        "idempotency_key": f"{task}-{operation}",
        "speaker": {"role": "ai_agent"},
    }


_WRITERS: Final[tuple[Callable[[Pen], None], ...]] = (
    _note, _read, _fleet, _people, _settings, _skills, _memory, _graph, _task,
)  # fmt: skip


def write_everything(own: Own, payloads: tuple[str, ...], first: int = 0) -> list[str]:
    """Every payload into every field, numbered from `first` on. Returns the addresses of decided proposals."""
    pens = [Pen(own, number, payload) for number, payload in enumerate(payloads, first)]
    _set(own, ROOM)
    for pen in pens:
        for write in _WRITERS:
            write(pen)
    _at_once(own, pens)
    _set(own, {"writes": "human_only"})
    return [_proposal(pen) for pen in pens]


def _at_once(own: Own, pens: list[Pen]) -> None:
    """What there is one of holds all of them, each on its line."""
    own.agent_writes("memory/MEMORY.md", "\n".join(pen.text("notebook") for pen in pens))
    text = {"text": "\n".join(pen.text("memory") for pen in pens)}
    pens[0].ask("member", "PUT", "/v1/memory", json=text, params=_SEAT, headers={"if-match": "*"})


def _set(own: Own, settings: dict[str, Any]) -> None:
    answer = own.call("owner", "PATCH", "/v1/admin/settings", json={"agent_memory": settings})
    assert answer.status_code == 200, answer.text
