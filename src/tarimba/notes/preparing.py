"""From a draft to what is stored: the gate, the detectors, the line, the words. No transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from tarimba import text
from tarimba.blocks import rules as blocks
from tarimba.errors import Refusal
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.settings import SpaceSettings
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes import caps, changes, rules
from tarimba.notes.model import Draft, Evidence, Note, Prepared
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge, Verdict
from tarimba.storage import Tx
from tarimba.text import GateError
from tarimba.vault import SpaceKey

T = TypeVar("T")

PERSONAL_DATA = "personal_data_in_agent_memory"
_ATTEMPTS = 3
_PREFIXES = (("conversation_id", "conv"), ("task_id", "task"))


def prepare(kernel: Kernel, draft: Draft, settings: SpaceSettings, space_id: str, origin: str) -> Prepared:
    """The draft checked and everything derived from it. `origin` is what the note's will be.

    Raises 422 `invalid_input` (field and rule), 422 `personal_data_in_agent_memory` (kinds and positions in
    the text as it would be stored) and 503 `detectors_unavailable`.
    """
    try:
        clean = rules.gated(draft, settings.title_max, settings.body_max)
    except GateError as error:
        raise Refusal("invalid_input", error.sentence) from error
    space = personal_data.known_by(kernel, space_id)
    verdict = verdict_on(kernel, space, clean, origin)
    if not verdict.clean:
        raise _personal_data(verdict)
    line = blocks.render_line(clean.kind, clean.title, clean.body)
    return Prepared(
        draft=clean,
        line=line,
        line_tokens=blocks.line_tokens(line, kernel.tokenizer),
        renderer=blocks.RENDERER,
        tokenizer=kernel.tokenizer.name,
        terms=kernel.words.weighted(clean.title, clean.body, clean.tags),
        words=kernel.words.version,
        detectors=verdict.version,
        space=space,
        flagged=flagged(kernel, space, clean.evidence),
    )


def prepare_line(kernel: Kernel, space_id: str, field: str, written: str, most: int) -> tuple[str, Knowledge]:
    """A line of a person's own about a proposal, as it is stored, and what the space knew when it was checked.

    Raises like `prepare`.
    """
    try:
        clean = text.clean(written, field=field, max_length=most, one_line=True)
    except GateError as error:
        raise Refusal("invalid_input", error.sentence) from error
    space = personal_data.known_by(kernel, space_id)
    verdict = personal_data.check(kernel, space, {field: clean}, "precision")
    if not verdict.clean:
        raise _personal_data(verdict)
    return clean, space


def roomy(settings: SpaceSettings, draft: Draft, old: Note) -> SpaceSettings:
    """Settings that a text which does not change still fits, though the space has lowered its limits since."""
    title_max = max(settings.title_max, len(old.title)) if draft.title == old.title else settings.title_max
    body_max = max(settings.body_max, len(old.body)) if draft.body == old.body else settings.body_max
    return replace(settings, title_max=title_max, body_max=body_max)


def verdict_on(kernel: Kernel, space: Knowledge, written: Draft | Note, origin: str) -> Verdict:
    """What is personal in a note. A model can write it again, so it is held to more than a person is."""
    fields = {"title": written.title, "body": written.body, "tags": written.tags}
    return personal_data.check(kernel, space, fields, "precision" if origin == "human" else "recall")


def settled(attempt: Callable[[], T]) -> T:
    """What `attempt` (a preparation and its commit) ends with once the space knew the same in both.

    Raises 503 `unavailable` when that changes faster than notes can be checked.
    """
    for _ in range(_ATTEMPTS):
        try:
            return attempt()
        except personal_data.MovedError:
            continue
    raise Refusal(
        "unavailable", "What the space knows changes too fast to check a note by it.", retry_after=1
    )


def require_checked(tx: Tx, principal: Principal, ready: Prepared) -> None:
    """Raises `MovedError` when what the space knows is not what the text was checked with."""
    # What it knew was read after the caller was, so an equal generation tells that nothing has changed.
    if tx.generation != principal.generation:
        personal_data.require_same(tx, ready.space)


def _personal_data(verdict: Verdict) -> Refusal:
    findings = [
        {"kind": found.kind, "field": found.field, "start": found.start, "end": found.end}
        for found in verdict.findings
    ]
    detail = (
        "Notes hold nothing about people. Take out what `findings` points at and write it for any customer."
    )
    return Refusal(PERSONAL_DATA, detail, extra={"kinds": list(verdict.kinds), "findings": findings})


def flagged(kernel: Kernel, space: Knowledge, evidence: Evidence | None) -> frozenset[str]:
    """The names of the evidence's ids that are themselves personal data, as turns are judged too."""
    ids = evidence.as_json() if evidence else {}
    found = personal_data.flagged(kernel, space, ids.values()) if ids else frozenset()
    return frozenset(name for name, value in ids.items() if value in found)


def settle_evidence(
    tx: Tx, key: SpaceKey, evidence: Evidence | None, flagged: frozenset[str]
) -> Evidence | None:
    """The evidence with surrogates in the place of flagged ids: the same one for the same id, always."""
    if evidence is None or not flagged:
        return evidence
    for name, prefix in _PREFIXES:
        value = getattr(evidence, name)
        if name in flagged and value is not None:
            surrogate = changes.surrogate(tx, key.commit(value), f"{prefix}_{new_id()}")
            evidence = replace(evidence, **{name: surrogate})
    return evidence


def committed(key: SpaceKey, about: Evidence | None) -> dict[str, str]:
    """Conversation and task as receipts hold them."""
    ids = about.as_json() if about else {}
    return {name.removesuffix("_id"): key.commit(value) for name, value in ids.items()}


@contextmanager
def refusals_counted(kernel: Kernel, principal: Principal, source_id: str) -> Iterator[None]:
    """Counts what is refused inside. Raises 429 in the refusal's place when an agent had too many of them."""
    try:
        yield
    except Refusal as refusal:
        kinds = _counted_kinds(refusal)
        if kinds:
            limits_agent = principal.kind == "agent" and refusal.code == PERSONAL_DATA
            wait = kernel.writer.commit(
                principal.space_id, lambda tx: _count(tx, source_id, kinds, limits_agent=limits_agent)
            )
            if wait is not None:
                raise rules.limited(wait, "refusals") from None
        raise


def _counted_kinds(refusal: Refusal) -> tuple[str, ...]:
    if refusal.code == PERSONAL_DATA:
        return tuple(refusal.extra["kinds"])
    return (refusal.code,) if refusal.code in ("rate_limited", "agent_memory_full") else ()


def _count(tx: Tx, source_id: str, kinds: tuple[str, ...], *, limits_agent: bool) -> int | None:
    wait = None
    if limits_agent:
        settings = space_settings.load(tx.connection, tx.space_id)
        wait = caps.seconds_to_wait(tx, source_id, "refusal", settings.refusals_per_hour)
        if wait is None:
            caps.take(tx, source_id, "refusal")
    caps.count_refused(tx, source_id, kinds if wait is None else ("rate_limited",))
    return wait
