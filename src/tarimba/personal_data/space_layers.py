"""One verdict for the fields of a note: the detectors', with the layers that only the space has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tarimba.kernel import Kernel
from tarimba.personal_data import vocabulary
from tarimba.personal_data.knowledge import knowledge
from tarimba.personal_data.known_customers import known_in
from tarimba.personal_data.model import Knowledge, Strictness, Verdict
from tarimba.personal_data.vocabulary_rules import Vouched


def known_by(kernel: Kernel, space_id: str) -> Knowledge:
    """What the space knows now: read it before a check, compare it when the result is stored. Raises 404."""
    with kernel.database.read() as connection:
        return knowledge(connection, space_id)


def check(
    kernel: Kernel,
    space: Knowledge,
    fields: Mapping[str, str | Sequence[str]],
    strictness: Strictness = "recall",
) -> Verdict:
    """The verdict for the fields of a note; its version is what is stored with a note that passed.

    Known customers are looked up whatever else is found, so that the time tells nobody who is one. Raises 503
    `detectors_unavailable`.
    """
    known = {}
    if space.has_customers:
        with kernel.database.read() as connection:
            known = known_in(connection, kernel.keys.of(space.space_id), space.space_id, fields)
    vouched = Vouched(lambda: vocabulary.terms(kernel, space.space_id))
    verdict = kernel.detectors.check(
        fields,
        allow=space.allow,
        pardon=vouched.pardons,
        known=known,
        language=space.language,
        strictness=strictness,
    )
    return replace(verdict, version=space.stamp(verdict.version))
