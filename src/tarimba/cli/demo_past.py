"""Three weeks of an invented company, lived through in seconds: what `tarimba demo --serve` shows.

Everything is done through the API as it would be done day by day, with the clock set back: the receipts, the charts
and the proofs are those of real requests.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Final

from tarimba.cli.demo_served import Served, served
from tarimba.clock import HOUR
from tarimba.evolution import service as evolution
from tarimba.identity import hosting
from tarimba.jobs.service import Worker
from tarimba.webhooks.sending import Sender
from tarimba.workspaces.hosting import apply_text

_FIRST: Final = 21
_NOTES: Final = "/v1/agent-memory/notes"
_PROPOSALS: Final = "/v1/agent-memory/proposals"
_SEAT: Final = {"subscription": "financeiro", "agent": "cobranca"}
# Who comes in by a link of their own.
GUESTS: Final = ("rita", "bento", "lia")
_AGENTS: Final = ("cobranca", "atendimento", "logistica", "compras")
_QUERIES: Final = ("boletos vencidos", "trocas", "entrega agendada", "cotações")
_FIELDS: Final = ("kind", "title", "body", "tags", "visibility")
_HOURS_A_DAY: Final = 24
# Days back from now: the owner lets people alone decide; the member's graph begins, which later days add to.
_DECIDED: Final = 5
_FIRST_FACTS: Final = 9
_OPERATIONS: Final = ("titulo.localizar", "segunda_via.gerar", "acordo.registrar")
Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Past:
    """What it leaves: keys of agents and tokens of people by their slugs, and links by which some come in."""

    bearers: Mapping[str, str]
    links: Mapping[str, str]


def live(settings: Mapping[str, Any], receiver: str) -> Past:
    """Lives it through on an empty installation; `receiver` is where webhooks go. Leaves the clock at now."""
    told = tomllib.loads(_text("demo_past.toml"))
    with served(settings) as running:
        running.go_to(_FIRST)
        sources = _found(running)
        _begin(running, told, receiver)
        story = _Story(running, told, sources)
        for day in range(_FIRST - 1, -1, -1):
            story.live(day)
        running.go_to(0)
        return Past(running.bearers, _links(running))


def _text(name: str) -> str:
    return files("tarimba.cli").joinpath(name).read_text(encoding="utf-8")


def _found(running: Served) -> Mapping[str, str]:
    """The company of the file: its people with tokens. Returns the ids of its agents by their slugs."""
    declared = apply_text(running.kernel, _text("demo_space.toml")).applied
    for slug, keys in declared.agent_keys.items():
        running.bearers[slug] = str(keys["producao"])
    host = hosting.host_of(running.kernel, declared.slug)
    for slug in declared.people:
        made = hosting.issue_token(running.kernel, host, f"{slug}@acme.example", None)
        running.bearers[slug] = str(made["token"])
    return declared.agents


def _begin(running: Served, told: Told, receiver: str) -> None:
    running.call(
        "rita",
        "PATCH",
        "/v1/admin/settings",
        json={"agent_memory": {"enabled": True, "writes": "agent"}, "evolution": {"mode": "draft"}},
    )
    running.call("nara", "PUT", "/v1/admin/secrets", params={"name": "ERP_KEY"}, json={"value": "inventado"})
    for one in told["webhook"]:
        running.call("rita", "POST", "/v1/admin/webhooks", json={"url": receiver + one["path"]})


def _links(running: Served) -> Mapping[str, str]:
    host = hosting.host_of(running.kernel, "acme")
    return {slug: hosting.link(running.kernel, host, f"{slug}@acme.example")["link"] for slug in GUESTS}


class _Story:
    """What happens on each day, in its order."""

    def __init__(self, running: Served, told: Told, sources: Mapping[str, str]) -> None:
        self._run = running
        self._told = told
        self._sources = sources
        self._ids: dict[tuple[str, str], str] = {}
        self._sender = Sender(running.kernel)
        self._turns = 0
        self._acts: tuple[tuple[str, Callable[[Told], None]], ...] = (
            ("skill", self._publish),
            ("file", self._share),
            ("lesson", self._keep),
            ("edit", self._edit),
            ("retirement", self._retire),
            ("refused", self._refuse),
            ("proposal", self._propose),
            ("memory", self._remember),
            ("own_skill", self._write_skill),
            ("left_skill", self._leave_skill),
        )

    def live(self, day: int) -> None:
        """One day, its hours spread over what is done. The last one ends now."""
        if day == _DECIDED:
            settings = {"agent_memory": {"writes": "human_only"}}
            self._run.call("rita", "PATCH", "/v1/admin/settings", json=settings)
        if day == _FIRST_FACTS:
            self._fill_graph()
        todo: list[Callable[[], None]] = list(self._deeds(day))
        todo += [partial(self._work, agent, day) for agent in _AGENTS]
        for number, do in enumerate(todo):
            self._run.go_to(day + 1 / 3 - number / len(todo) / 4)
            do()
        self._send(day)

    def _deeds(self, day: int) -> Iterator[Callable[[], None]]:
        for name, do in self._acts:
            for one in self._told[name]:
                if one["day"] == day:
                    yield partial(do, one)
        if day == 1:
            yield self._record_tasks
        if day == 0:
            yield self._learn

    def _work(self, agent: str, day: int) -> None:
        """What an agent does every day: it reads its block before it answers, and looks something up."""
        for _ in range(2 + (day * 7 + len(agent)) % 4):
            self._turns += 1
            asked = {"conversation_id": f"conversa-{self._turns:04}"}
            self._run.call(agent, "GET", "/v1/agent-memory/block", params=asked)
        query = {"query": _QUERIES[_AGENTS.index(agent)], "conversation_id": f"conversa-{self._turns:04}"}
        self._run.call(agent, "POST", "/v1/agent-memory/search", json=query)

    def _keep(self, one: Told) -> None:
        made = self._run.call(one["agent"], "POST", _NOTES, json=_note(one))
        self._ids[one["agent"], one["title"]] = made["note"]["note_id"]

    def _edit(self, one: Told) -> None:
        path = f"{_NOTES}/{self._ids[one['agent'], one['title']]}"
        owned = {"body": one["body"]}
        made = self._run.call("bento", "PATCH", path, json=owned)
        self._ids[one["agent"], one["title"]] = made["note_id"]

    def _retire(self, one: Told) -> None:
        self._run.call("bento", "POST", f"{_NOTES}/{self._ids[one['agent'], one['title']]}/retire")

    def _refuse(self, one: Told) -> None:
        note = {"kind": "procedure", "title": "Como avisar", "body": one["body"]}
        self._run.call(one["agent"], "POST", _NOTES, json=note, expects=422)

    def _propose(self, one: Told) -> None:
        evidence = {"evidence": {"conversation_id": f"conversa-{self._turns:04}"}}
        made = self._run.call(one["agent"], "POST", _NOTES, json=_note(one) | evidence)
        decision = one.get("decision")
        if decision is not None:
            said = {"reason": one["reason"]} if "reason" in one else {}
            self._run.call("bento", "POST", f"{_PROPOSALS}/{made['proposal_id']}/{decision}", json=said)

    def _publish(self, one: Told) -> None:
        form = {"body": one["text"].encode()}
        self._run.call("davi", "POST", "/v1/admin/skills", params=one["where"], files=form)

    def _share(self, one: Told) -> None:
        form = {"file": one["text"].encode()}
        self._run.call("davi", "POST", "/v1/admin/files", params={"path": one["path"]}, files=form)

    def _remember(self, one: Told) -> None:
        seat = _SEAT | ({"project": one["project"]} if "project" in one else {})
        headers = {"if-match": "*"} if one["day"] < 10 and "project" not in one else {}
        self._run.call("lia", "PUT", "/v1/memory", params=seat, json={"text": one["text"]}, headers=headers)

    def _write_skill(self, one: Told) -> None:
        seat = _SEAT | {"name": one["name"]}
        self._run.call("lia", "PUT", "/v1/skills", params=seat, json={"text": one["text"]})

    def _leave_skill(self, one: Told) -> None:
        known = next(self._run.kernel.settings.data.rglob(f"{one['beside']}/SKILL.md"))
        left = known.parent.parent / one["name"]
        left.mkdir()
        (left / "SKILL.md").write_text(one["text"], encoding="utf-8")

    def _fill_graph(self) -> None:
        graph = self._told["graph"]
        entities = [_entity(*row, talk=f"conversa-{at:04}") for at, row in enumerate(graph["entities"])]
        relations = [
            {"from": source, "relationType": kind, "to": target}
            for source, kind, target in graph["relations"]
        ]
        self._import({"entities": entities, "relations": relations})

    def _learn(self) -> None:
        """What the last conversation taught of things that were known."""
        talk = f"conversa-{self._turns:04}"
        known = {row[0]: row[1] for row in self._told["graph"]["entities"]}
        entities = [
            _entity(name, known[name], fact, talk=talk) for name, fact in self._told["graph"]["learned"]
        ]
        self._import({"entities": entities, "relations": []})

    def _import(self, document: dict[str, Any]) -> None:
        self._run.call("lia", "POST", "/v1/memory-graph/import", params=_SEAT, json=document)

    def _record_tasks(self) -> None:
        """Tasks that went well twice in the same way: a round of evolution drafts a skill of them."""
        items: list[dict[str, Any]] = []
        for task in ("acordo-1", "acordo-2"):
            items += [_action(task, operation) for operation in _OPERATIONS]
            items.append({"type": "task.ended", "idempotency_key": f"{task}-fim", "task_id": task})
        self._run.call("cobranca", "POST", "/v1/batch", json={"items": items})
        self._run.call("nara", "POST", "/v1/agent-memory/skill-drafts/round", json={"again": True})
        worker = Worker(self._run.kernel, {evolution.DRAFT_JOB: evolution.write_draft})
        while worker.piece():
            continue

    def _send(self, day: int) -> None:
        """The events of the day, and what was due again since: a receiver that fails for days is given up."""
        for hour in (0, 1, 4, 10, 18):
            if day * _HOURS_A_DAY <= hour:
                break
            self._run.kernel.clock.offset_us += HOUR if hour else 0
            while self._sender.piece():
                continue


def _note(one: Told) -> dict[str, Any]:
    return {name: one[name] for name in _FIELDS if name in one}


def _entity(name: str, kind: str, *facts: str, talk: str) -> dict[str, Any]:
    return {
        "name": name,
        "entityType": kind,
        "observations": [{"content": fact, "sessionId": talk} for fact in facts],
    }


def _action(task: str, operation: str) -> dict[str, Any]:
    return {
        "type": "event",
        "kind": "action",
        "action": {"operation": operation},
        "content": None,
        "task_id": task,
        "conversation_id": f"conversa-{task}",
        "idempotency_key": f"{task}-{operation}",
        "speaker": {"role": "ai_agent"},
    }
