"""From turns to a note that may wait for a person, or to why there is none. Waits for the model; no transaction."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from tarimba.conversations.model import Record
from tarimba.distill import abstracting, answer, naming, prompt, recorded, rules
from tarimba.distill.chat import Chat, DeclinedError
from tarimba.distill.model import (
    Failed,
    Offer,
    Outcome,
    SilentModelError,
    Task,
    UnfitError,
    Writer,
    Written,
)
from tarimba.errors import Refusal
from tarimba.identity.settings import SpaceSettings
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Draft, Prepared
from tarimba.personal_data import service as personal_data

Examine = Callable[[Offer], Outcome]
_UNKNOWN = "name only tools, operations, commands and systems that the record shows in use"
_ECHO_MAX = 8_000


def writer_of(kernel: Kernel) -> Writer:
    """Who writes on this server."""
    return "actions" if kernel.settings.llm_url is None else "model"


def write(kernel: Kernel, space_id: str, settings: SpaceSettings, record: Record | None) -> Outcome:
    """A note from a record, through every check. Raises `SilentModelError`, and 503 when detectors are silent."""
    problem = rules.problem_of(record)
    if problem is not None or record is None:
        return Failed(problem or "no_turns")
    language = personal_data.known_by(kernel, space_id).language
    task = Task(record.turns, language, settings.title_max, settings.body_max)

    def examine(offer: Offer) -> Outcome:
        return _examined(kernel, space_id, settings, task, offer)

    return _by_actions(task, examine) if kernel.settings.llm_url is None else _by_model(kernel, task, examine)


def _by_actions(task: Task, examine: Examine) -> Outcome:
    offer = recorded.offer_of(task)
    if offer is None:
        return Failed("nothing_to_propose")
    try:
        return examine(offer)
    except UnfitError:
        # What the actions themselves break no other words would mend.
        return Failed("nothing_to_propose")


def _by_model(kernel: Kernel, task: Task, examine: Examine) -> Outcome:
    chat = Chat(kernel.settings)
    try:
        return _asked(chat, task, examine)
    except DeclinedError:
        return Failed("nothing_to_propose")
    finally:
        chat.close()


def _asked(chat: Chat, task: Task, examine: Examine) -> Outcome:
    """The first answer, or the second one, which is told what was wrong with the first."""
    messages = prompt.messages(task, secrets.token_hex(8))
    content = chat.complete(messages, prompt.SCHEMA)
    try:
        return _read(content, examine)
    except UnfitError as unfit:
        messages += prompt.correction(content[:_ECHO_MAX], unfit.sentence, task.language)
    content = chat.complete(messages, prompt.SCHEMA)
    try:
        return _read(content, examine)
    except UnfitError as unfit:
        if unfit.problem is None:
            raise SilentModelError("unfit") from None
        return Failed(unfit.problem)


def _read(content: str, examine: Examine) -> Outcome:
    offer = answer.read(content)
    return Failed("nothing_to_propose") if offer is None else examine(offer)


def _examined(kernel: Kernel, space_id: str, settings: SpaceSettings, task: Task, offer: Offer) -> Outcome:
    # Of a text without end only the length is looked at.
    clean = rules.gated(offer, settings.title_max, settings.body_max)
    if clean is None or _is_refused(clean):
        return Failed("nothing_to_propose")
    general = _mapped(clean, lambda text: abstracting.abstracted(text, task.language))
    gated = rules.gated(general, settings.title_max, settings.body_max)
    if gated is None:
        return Failed("nothing_to_propose")
    try:
        ready = _prepared(kernel, space_id, settings, task.language, gated)
    except Refusal as refusal:
        if refusal.code != "personal_data_in_agent_memory":
            raise
        return Failed("personal_data", tuple(refusal.extra["kinds"]))
    # After the detectors: somebody's name is to be told as what it is, not as a system that nobody used.
    if naming.unknown_names(clean, task.turns):
        raise UnfitError(_UNKNOWN, "nothing_to_propose")
    return Written(ready)


def _is_refused(offer: Offer) -> bool:
    return rules.is_refused(offer) or any(personal_data.find_credentials(f"{offer.title}\n{offer.body}"))


def _prepared(
    kernel: Kernel, space_id: str, settings: SpaceSettings, language: str, offer: Offer
) -> Prepared:
    """The offer checked as a distilled note is, then once more without its long numbers, should it have some."""
    ready = notes.prepare(kernel, _draft(offer), settings, space_id, "distilled")
    rest = _mapped(offer, lambda text: abstracting.rest_abstracted(text, language))
    return ready if rest == offer else notes.prepare(kernel, _draft(rest), settings, space_id, "distilled")


def _draft(offer: Offer) -> Draft:
    return Draft(offer.kind, offer.title, offer.body, offer.tags)


def _mapped(offer: Offer, change: Callable[[str], str]) -> Offer:
    return replace(offer, title=change(offer.title), body=change(offer.body))
