"""Dates of birth told in words, wholly or in part: `the 9th of Feb. '79`, `sete de março de mil novecentos e ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.scan import Hit, Scan

_REACH: Final = 60
_REACH_OF_WORDS: Final = 260
"""A year that is spelled out is nobody's deadline: its cue may stand farther off."""

_CUE: Final = re.compile(
    r"\b(?:nascid[oa]s?|nasceu|nasceram|nascimento|nasc|(?:veio|vieram|vino|vinieron) (?:ao|al) mundo|nacid[oa]s?|nacio"
    r"|nacieron|nacimiento|born|birth(?:day|date)?|dob|d\.o\.b|bday|came into the world|dt_?nasc|fec_?nac)(?![a-z])"
)
# What happened to a rule or a system on a day is no birth, whatever the sentence speaks of.
_EVENT: Final = re.compile(
    r"\b(?:desde|since|changed?|restart\w*|rolled|deploy\w*|rige|vigor|vigente|released?|a partir|obrigatori\w*"
    r"|obligatori\w*|until|ate|hasta|went live|sai|mudou|mudam?|cambio|cambia)\b"
)
_MONTH: Final = (
    r"(?:jan(?:eiro|uary)?|ene(?:ro)?|fev(?:ereiro)?|feb(?:ruary|rero)?|mar(?:co|ch|zo)?|a[bp]r(?:il)?|mai(?:o)?|mayo?"
    r"|jun(?:ho|e|io)?|jul(?:ho|y|io)?|ago(?:sto)?|aug(?:ust)?|set(?:embro)?|sep(?:t|tember|tiembre)?|out(?:ubro)?"
    r"|oct(?:ober|ubre)?|nov(?:embro|ember|iembre)?|dez(?:embro)?|dec(?:ember)?|dic(?:iembre)?)\b"
)
_UNIT: Final = (
    r"(?:uma?|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|uno?|dos|cuatro|siete|ocho|nueve|one|two|three|four|five|six"
    r"|seven|eight|nine|oh|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|primeir[oa]|primer[oa]?)"
)
_TEEN: Final = (
    r"(?:dez(?:[aeo]?s?(?:seis|sete|oito|nove)|oito)?|onze|doze|treze|quatorze|catorze|quinze|diez|once|doce|trece|quince"
    r"|dieci\w{4,7}|veinti\w{3,7}|ten(?:th)?|eleven(?:th)?|twelve|twelfth|thirteen(?:th)?|fourteen(?:th)?|fifteen(?:th)?"
    r"|sixteen(?:th)?|seventeen(?:th)?|eighteen(?:th)?|nineteen(?:th)?)"
)
_TENS: Final = (
    r"(?:vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|veinte|treinta|cuarenta|cincuenta|sesenta"
    r"|ochenta|twent(?:y|ieth)|thirt(?:y|ieth)|forty|fifty|sixty|seventy|eighty|ninety)"
)
_SMALL: Final = rf"(?:{_TENS}(?:(?: e | y | |-){_UNIT})?|{_TEEN}|{_UNIT})"
_DAY: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th|o)?|{_SMALL})"
_WORD_YEAR: Final = (
    r"(?:(?:mil,? (?:e )?nove(?:ciento|cento)s|dois mil|dos mil|two thousand|nineteen hundred)"
    rf"(?:,? (?:(?:e|y|and) )?{_SMALL})?|nineteen[ -](?:hundred and )?{_SMALL}"
    rf"|twenty[ -](?:{_TEEN}|oh[ -]{_UNIT}|{_TENS}))"
)
_SHORT_YEAR: Final = rf"(?:{_TENS}(?:(?: e | y | |-){_UNIT})?(?! p[eo]r ?c))"
_MONTH_NUMBER: Final = rf"(?:{_UNIT}|dez|diez|onze|once|doze|doce)"
_DIGIT_YEAR: Final = r"(?:(?:19|20)\d\d|'?\d\d)"
_OF: Final = r"[\s,.]{1,3}(?:de |do |del |of |of the |in |do ano de |del ano )?"


def _date(year: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![0-9a-z])(?:{_DAY}[\s/-]{{1,2}}(?:dias? )?(?:do mes |de |del |of )?{_MONTH}\.?{_OF}{year}"
        rf"|{_MONTH}\.? (?:the )?{_DAY}[\s,.]{{1,3}}(?:of |in )?{year})(?![0-9a-z])"
    )


_IN_WORDS: Final = _date(_WORD_YEAR)
_MIXED: Final = _date(_DIGIT_YEAR)
_IN_SHORT: Final = _date(_SHORT_YEAR)
# "dezessete do três de sessenta e quatro"
_BY_NUMBER: Final = re.compile(
    rf"(?<![0-9a-z]){_SMALL} (?:do|del|de|of) {_MONTH_NUMBER} (?:de |do |del |of )"
    rf"(?:{_WORD_YEAR}|{_SHORT_YEAR})(?![0-9a-z])"
)


_TOLD: Final = ((_IN_WORDS, _REACH_OF_WORDS), (_MIXED, _REACH), (_IN_SHORT, _REACH), (_BY_NUMBER, _REACH))


def tells_birth(low: str) -> bool:
    """Whether a plain text speaks of a birth at all."""
    return _CUE.search(low) is not None


def find_told_births(scan: Scan) -> Iterator[Hit]:
    """Days of birth with words in them, after a word of birth or shortly before one."""
    for pattern, reach in _TOLD:
        for match in pattern.finditer(scan.low):
            start, end = match.span()
            before = _CUE.search(scan.low, max(0, start - reach), start)
            if before and _EVENT.search(scan.low, before.end(), start):
                continue
            if before or _behind(scan, end):
                yield Hit("birth_date", start, end, cued=True)


def _behind(scan: Scan, end: int) -> bool:
    return _CUE.search(scan.low, end, end + 24) is not None
