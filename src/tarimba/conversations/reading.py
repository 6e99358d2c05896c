"""From what a caller sent to items: ids and handles as MACs, texts as they are to be masked. No transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tarimba.conversations.handles import Hashed, hashed, names_customer
from tarimba.conversations.items import NAME_MAX, BadItemError, Fields, Handle, handles_of
from tarimba.conversations.known_fields import UNUSED
from tarimba.conversations.model import Ignored, Refused
from tarimba.conversations.rules import LEVELS, METHODS, is_code
from tarimba.ids import is_id
from tarimba.text import neutral
from tarimba.vault import SpaceKey

TEXT_MAX: Final = 200_000
_ROLES: Final = ("customer", "ai_agent", "human_agent", "system")
_EVENTS: Final = ("message", "action", "system_event")
_TYPES: Final = frozenset(
    {"event", "identify", "verify", "conversation.ended", "task.ended", "handoff", "heartbeat"}
)
_SYSTEM: Final = "system"
# Said where a conversation turns out to have no customer: nobody is verified in it.
_NOBODY: Final = "no_customer"


@dataclass(frozen=True, slots=True)
class Named:
    """A conversation or task by the id that callers give it; a `flagged` id is personal data and is not stored."""

    kind: str
    mac: str
    caller_id: str
    flagged: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One item that breaks no rule. `kind` is the kind of its event, or its type; texts are by their column.

    `occurred_at` is in microseconds, None for now. `key_mac` tells repeats apart.
    """

    index: int
    kind: str
    key_mac: str
    occurred_at: int | None
    conversation: Named | None = None
    task: Named | None = None
    aliases: tuple[str, ...] = ()
    handles: tuple[Hashed, ...] = ()
    channel: str = ""
    role: str = _SYSTEM
    speaker_mac: str | None = None
    objects: str | None = None
    read_receipt_id: str | None = None
    method: str = ""
    level: str = ""
    succeeded: bool | None = None
    operation: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    masked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """What a request held: items to be taken, items refused, and what is not kept."""

    items: tuple[Item, ...]
    refused: tuple[Refused, ...]
    ignored: Ignored


class Reader:
    """Reads the items of one request; ids and codes of `flagged` are personal data. `asked` is what it asked about."""

    def __init__(self, key: SpaceKey, flagged: frozenset[str] = frozenset()) -> None:
        self._key = key
        self._flagged = flagged
        self.asked: set[str] = set()

    def read(self, sent: Sequence[Any]) -> Batch:
        items: list[Item] = []
        refused: list[Refused] = []
        unknown = unread = 0
        for index, value in enumerate(sent):
            try:
                fields = Fields(value)
                item_type = fields.text("type", NAME_MAX, required=True)
                if item_type not in _TYPES:
                    unknown += 1
                    continue
                items.append(self._item(index, item_type, fields.know(UNUSED.get(item_type, ()))))
            except BadItemError as error:
                refused.append(Refused(index, "invalid_input", str(error)))
            else:
                unread += fields.unread
        return Batch(tuple(items), tuple(refused), Ignored(unknown, unread))

    def _item(self, index: int, item_type: str, fields: Fields) -> Item:
        if item_type == "heartbeat":
            return Item(index, item_type, self._key.mac("turn-key", item_type), fields.moment("window_start"))
        key = self._key.mac("turn-key", f"key {fields.id('idempotency_key', required=True)}")
        moment = fields.moment("occurred_at")
        if item_type == "event":
            return self._event(index, key, moment, fields)
        if item_type in ("identify", "verify"):
            return self._proof(index, item_type, key, moment, fields)
        return self._mark(index, item_type, key, moment, fields)

    def _event(self, index: int, key_mac: str, moment: int | None, fields: Fields) -> Item:
        kind = fields.choice("kind", _EVENTS) or "message"
        speaker = fields.object("speaker")
        said_by = speaker.id("id") if speaker else None
        channel = fields.speech("channel", NAME_MAX)
        conversation, aliases = self._conversation(fields, ids=fields.caller_ids("conversation_aliases", 8))
        return Item(
            index=index,
            kind=kind,
            key_mac=key_mac,
            occurred_at=moment,
            conversation=conversation,
            task=self._named("task", fields.caller_id("task_id")),
            aliases=aliases,
            handles=self._customer(fields),
            channel=self._code(channel) or "",
            role=(speaker.choice("role", _ROLES) if speaker else None) or _SYSTEM,
            speaker_mac=self._key.mac("speaker", said_by) if said_by else None,
            objects=self._objects(fields),
            read_receipt_id=_read_receipt(fields.object("context_stamp")),
            **self._said(fields, kind),
        )

    def _said(self, fields: Fields, kind: str) -> dict[str, Any]:
        """The texts of an event; an operation that is a code is kept as it is."""
        texts = dict(_texts(fields, kind))
        operation = self._code(texts.get("operation"))
        if operation is not None:
            del texts["operation"]
        return {"operation": operation, "texts": texts}

    def _proof(self, index: int, item_type: str, key_mac: str, moment: int | None, fields: Fields) -> Item:
        """An identification of handles as one customer, or a verification of one."""
        conversation, aliases = self._conversation(fields)
        task = self._named("task", fields.caller_id("task_id"))
        if item_type == "verify":
            handle = fields.object("handle")
            if handle is None:
                raise BadItemError("handle: is required")
            handles = self._hashed(handles_of([handle]))
            method = fields.text("method", NAME_MAX, required=True) or ""
            level = fields.choice("level", (*LEVELS, _NOBODY)) or _NOBODY
            level = LEVELS[0] if level == _NOBODY else level
        else:
            sent = handles_of(fields.objects("handles", 16))
            if len(sent) < 2:
                raise BadItemError("handles: must have at least 2 entries")
            handles, level = self._hashed(sent), ""
            method = fields.choice("method", METHODS) or METHODS[0]
        return Item(
            index,
            item_type,
            key_mac,
            moment,
            conversation,
            task,
            aliases,
            handles,
            method=method,
            level=level,
        )

    def _mark(self, index: int, item_type: str, key_mac: str, moment: int | None, fields: Fields) -> Item:
        """An end, or a conversation handed on."""
        of_task = item_type == "task.ended"
        named = fields.caller_id("task_id" if of_task else "conversation_id", required=True)
        reason = fields.speech("reason", TEXT_MAX) if item_type == "handoff" else None
        return Item(
            index,
            item_type,
            key_mac,
            moment,
            None if of_task else self._named("conversation", named),
            self._named("task", named) if of_task else None,
            succeeded=None if item_type == "handoff" else fields.truth("succeeded"),
            texts={"text": reason} if reason else {},
        )

    def _conversation(self, fields: Fields, ids: Sequence[str] = ()) -> tuple[Named | None, tuple[str, ...]]:
        """The conversation and MACs of its further ids; the first of these names it when nothing else does."""
        named = [one for one in (fields.caller_id("conversation_id"), *ids) if one is not None]
        first = named[0] if named else None
        return self._named("conversation", first), tuple(self._key.commit(one) for one in named[1:])

    def _named(self, kind: str, caller_id: str | None) -> Named | None:
        if caller_id is None:
            return None
        return Named(kind, self._key.commit(caller_id), caller_id, self._is_flagged(caller_id))

    def _customer(self, fields: Fields) -> tuple[Hashed, ...]:
        """The handles of an event; without any those of its first subject."""
        own = handles_of(fields.objects("handles", 16))
        for subject in fields.objects("subjects", 8):
            theirs = handles_of(subject.know(UNUSED["subject"]).objects("handles", 16))
            own = own or theirs
        return self._hashed(own)

    def _hashed(self, sent: Sequence[Handle]) -> tuple[Hashed, ...]:
        """Each of them once, without those that say nothing of who the customer is."""
        telling = (one for one in sent if names_customer(one.type, one.subject_kind))
        found = [hashed(self._key, one.type, one.value, one.scope) for one in telling]
        return tuple({one.mac: one for one in found}.values())

    def _objects(self, fields: Fields) -> str | None:
        found = []
        for one in fields.objects("object_refs", 16, _spelled_out):
            object_id = one.id("id", required=True)
            names = [self._code(one.speech(name, NAME_MAX)) for name in ("type", "namespace")]
            if all(names):
                mac = self._key.mac("object", "\0".join((*map(str, names), str(object_id))))
                found.append({"type": names[0], "namespace": names[1], "mac": mac})
        return json.dumps(found, separators=(",", ":")) if found else None

    def _code(self, word: str | None) -> str | None:
        """A word that is a code and nobody's data; anything else is not kept."""
        return word if word is not None and is_code(word) and not self._is_flagged(word) else None

    def _is_flagged(self, value: str) -> bool:
        self.asked.add(value)
        return value in self._flagged


def _texts(fields: Fields, kind: str) -> Iterator[tuple[str, str]]:
    """What was said or done, by the column that holds it, in a form that can be stored once it is masked."""
    content, action = fields.object("content"), fields.object("action")
    if kind == "action" and action is None:
        raise BadItemError("action: is required for an action")
    said = []
    if content is not None:
        content.know(UNUSED["content"])
        said = [text for name in ("text", "transcript") if (text := content.speech(name, TEXT_MAX))]
    found = {"text": "\n".join(said)}
    if action is not None:
        action.know(UNUSED["action"])
        found["operation"] = action.speech("operation", NAME_MAX, required=True) or ""
        found |= {name: action.speech(name, TEXT_MAX) or "" for name in ("result", "purpose")}
    yield from ((name, clean) for name, text in found.items() if (clean := neutral(text)))


def _read_receipt(stamp: Fields | None) -> str | None:
    """The receipt of the read that an agent had before it spoke; anything else in the stamp is not kept."""
    named = stamp.know(UNUSED["context_stamp"]).text("receipt_id", NAME_MAX) if stamp else None
    return named if named and is_id(named) else None


def _spelled_out(value: Any) -> Any:
    """`type:namespace:id` as an object."""
    parts = value.split(":", 2) if isinstance(value, str) else []
    return dict(zip(("type", "namespace", "id"), parts, strict=True)) if len(parts) == 3 else value
