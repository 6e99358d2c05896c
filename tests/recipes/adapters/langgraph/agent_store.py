"""The same calls on LangGraph's own store and on ours: prints what each answered."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from langgraph.store.base import BaseStore, GetOp, PutOp
from langgraph.store.memory import InMemoryStore

from tarimba.client import Budgets, Options, Tarimba
from tarimba.client.integrations.langgraph_store import NotesStore

ROOT = ("agent_memory",)
PROCEDURES = (*ROOT, "procedure")
PITFALLS = (*ROOT, "pitfall")
CREDIT = {"body": "Call post_credit with whole cents.", "tags": ["invoice"]}
CLOSE = {"body": "Close the month before reports are drawn."}
TWICE = {"body": "A refund that is sent twice is paid twice."}

Call = Callable[[BaseStore], Any]
CALLS: dict[str, Call] = {
    "get what is not there": lambda store: store.get(PROCEDURES, "Credit an invoice"),
    "namespaces of nothing": lambda store: filled(store, store.list_namespaces()),
    "search nothing": lambda store: store.search(ROOT),
    "put": lambda store: store.put(PROCEDURES, "Credit an invoice", CREDIT),
    "put without tags": lambda store: store.put(PROCEDURES, "Close a month", CLOSE),
    "put another kind": lambda store: store.put(PITFALLS, "Refund twice", TWICE),
    "get": lambda store: store.get(PROCEDURES, "Credit an invoice"),
    "get of another namespace": lambda store: store.get(PITFALLS, "Credit an invoice"),
    "get of the root": lambda store: store.get(ROOT, "Credit an invoice"),
    "search all": lambda store: store.search(ROOT),
    "search everything": lambda store: store.search(()),
    "search a kind": lambda store: store.search(PITFALLS),
    "search elsewhere": lambda store: store.search(("users",)),
    "search by equality": lambda store: store.search(ROOT, filter={"body": CLOSE["body"]}),
    "search by tags": lambda store: store.search(ROOT, filter={"tags": ["invoice"]}),
    "search by difference": lambda store: store.search(ROOT, filter={"body": {"$ne": CLOSE["body"]}}),
    "search by nothing such": lambda store: store.search(ROOT, filter={"colour": "blue"}),
    "count a part": lambda store: len(store.search(ROOT, limit=2)),
    "count the rest": lambda store: len(store.search(ROOT, limit=2, offset=2)),
    "count past the end": lambda store: len(store.search(ROOT, offset=9)),
    "namespaces": lambda store: filled(store, store.list_namespaces()),
    "namespaces by beginning": lambda store: store.list_namespaces(prefix=("agent_memory", "*")),
    "namespaces by another beginning": lambda store: store.list_namespaces(prefix=("users",)),
    "namespaces by end": lambda store: store.list_namespaces(suffix=("pitfall",)),
    "namespaces to a depth": lambda store: store.list_namespaces(max_depth=1),
    "namespaces in part": lambda store: store.list_namespaces(
        prefix=("agent_memory", "*"), limit=1, offset=1
    ),
    "overwrite": lambda store: store.put(PROCEDURES, "Close a month", {**CLOSE, "tags": ["report"]}),
    "get what was overwritten": lambda store: store.get(PROCEDURES, "Close a month"),
    "overwrite by less": lambda store: store.put(PROCEDURES, "Close a month", CLOSE),
    "get what has less": lambda store: store.get(PROCEDURES, "Close a month"),
    "put the same": lambda store: store.put(PROCEDURES, "Close a month", CLOSE),
    "read before write in a batch": lambda store: store.batch(
        [
            PutOp(PITFALLS, "Refund twice", None),
            GetOp(PITFALLS, "Refund twice"),
            PutOp(PITFALLS, "Late reports", CLOSE),
            PutOp(PITFALLS, "Late reports", TWICE),
        ]
    ),
    "get what a batch wrote": lambda store: store.get(PITFALLS, "Late reports"),
    "get what a batch took away": lambda store: store.get(PITFALLS, "Refund twice"),
    "delete": lambda store: store.delete(PROCEDURES, "Credit an invoice"),
    "get what was deleted": lambda store: store.get(PROCEDURES, "Credit an invoice"),
    "delete what is not there": lambda store: store.delete(PROCEDURES, "Credit an invoice"),
    "put without a namespace": lambda store: store.put((), "Close a month", CLOSE),
    "put with a point in a label": lambda store: store.put(("a.b",), "Close a month", CLOSE),
    "put for a time": lambda store: store.put(PROCEDURES, "Close a month", CLOSE, ttl=5),
    "compare in no way": lambda store: store.search(ROOT, filter={"body": {"$in": ["a"]}}),
    "await a put": lambda store: asyncio.run(store.aput(PROCEDURES, "Credit an invoice", CREDIT)),
    "await a get": lambda store: asyncio.run(store.aget(PROCEDURES, "Credit an invoice")),
    "await a search": lambda store: asyncio.run(store.asearch(PROCEDURES)),
    "await namespaces": lambda store: filled(store, asyncio.run(store.alist_namespaces())),
    "await a delete": lambda store: asyncio.run(store.adelete(PROCEDURES, "Credit an invoice")),
    # From here on the two differ, and the test says how.
    "search by meaning": lambda store: store.search(ROOT, query="close the month", limit=1),
    "put elsewhere": lambda store: store.put(("users", "rita"), "Close a month", CLOSE),
    "put what is no note": lambda store: store.put(PROCEDURES, "Close a month", {"colour": "blue"}),
    "put personal data": lambda store: store.put(PROCEDURES, "Call", {"body": "Write to ana@acme.example."}),
}


def filled(store: BaseStore, namespaces: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without those that hold nothing: theirs also lists what was only asked for."""
    return [one for one in namespaces if any(item.namespace == one for item in store.search(one))]


def answered(call: Call, store: BaseStore) -> Any:
    try:
        return shown(call(store))
    except Exception as error:  # noqa: BLE001 - what a store raises is compared
        return {"raised": type(error).__name__}


def shown(value: Any) -> Any:
    """Without moments, and lists in one order: a store need not keep any."""
    if isinstance(value, list):
        return sorted((shown(one) for one in value), key=json.dumps)
    if hasattr(value, "namespace"):
        return {"namespace": list(value.namespace), "key": value.key, "value": value.value}
    return list(value) if isinstance(value, tuple) else value


def main() -> None:
    seconds = float(sys.argv[1])
    budgets = Budgets(block=seconds, search=seconds, remember=seconds)
    stores = {"theirs": InMemoryStore(), "ours": NotesStore(Tarimba(options=Options(budgets=budgets)))}
    said = {
        name: {side: answered(call, store) for side, store in stores.items()} for name, call in CALLS.items()
    }
    sys.stdout.write(json.dumps(said))


main()
