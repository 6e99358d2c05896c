"""What the answers of a model mean: which of its people count, and which of them its own other answers take back."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.model_server.contract import LOCATION, ORGANIZATION, PERSON, Entity

ASKED: Final = frozenset({PERSON, ORGANIZATION, LOCATION})
_VETOES: Final = frozenset({ORGANIZATION, LOCATION})
_WORD: Final = re.compile(r"[a-z]+")
_VETO_WORDS_MAX: Final = 12
# What is said of people: titles, what they are to the company, what they do.
_CUES: Final = frozenset(
    "sr sra srta srs sras senhor senhora senhorita dona seu dr dra drs doutor doutora prof profa professor professora "
    "mr mrs ms miss sir madam lady don senor senora senorita cliente clienta clientes paciente pacientes titular "
    "segurado segurada asegurado asegurada beneficiario beneficiaria comprador compradora devedor devedora deudor "
    "deudora fiador fiadora inquilino inquilina morador moradora hospede huesped passageiro passageira pasajero "
    "pasajera aluno aluna alumno alumna colega atendente usuario usuaria assinante destinatario destinataria filho "
    "filha hijo hija marido esposa esposo mae madre irmao irma hermano hermana customer customers client clients "
    "patient claimant policyholder tenant guest passenger buyer borrower cardholder subscriber caller colleague "
    "husband wife son daughter mother father disse diz pediu pede ligou falou falar avisou reclamou confirmou quer "
    "said says told asked called wrote wants dijo dice pidio llamo hablar aviso reclamo confirmo quiere nome nombre "
    "name chamado chamada named llamado llamada".split()
)


def people(
    text: str, entities: Iterable[Entity], threshold: float, seams: Sequence[int] = ()
) -> list[Entity]:
    """The people among the answers about a text, without those inside a company or a place.

    A veto counts only when its stretch holds no personal cue ("cliente", "Mr."), is one line of a few words and
    crosses none of the `seams` (sorted offsets at which another text begins): a model that calls a whole phrase a
    company opens no door.
    """
    entities = tuple(entities)
    vetoes = sorted(
        (one.start, one.end) for one in entities if one.kind in _VETOES and _may_veto(text, one, seams)
    )
    starts = [start for start, _ in vetoes]
    # Of all vetoes that begin by then, the farthest end: one look-up a person, however many there are.
    ends = list(accumulate((end for _, end in vetoes), max))
    return [
        one
        for one in entities
        if one.kind == PERSON and one.score >= threshold and not _inside(one, starts, ends)
    ]


def _may_veto(text: str, entity: Entity, seams: Sequence[int]) -> bool:
    if bisect_right(seams, entity.start) != bisect_right(seams, entity.end - 1):
        return False
    stretch = text[entity.start : entity.end]
    words = _WORD.findall(plain(stretch))
    return "\n" not in stretch and len(words) <= _VETO_WORDS_MAX and _CUES.isdisjoint(words)


def _inside(person: Entity, starts: Sequence[int], ends: Sequence[int]) -> bool:
    place = bisect_right(starts, person.start) - 1
    return place >= 0 and ends[place] >= person.end
