"""What lets somebody in: passwords, codes of cards, keys and tokens. Masked in turns, whoever said them. Pure.

Keys are known by their form, passwords by the words before them. No note is refused for these: what a note may hold is
judged elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.fold import fold, plain
from tarimba.personal_data.model import Finding
from tarimba.personal_data.reading import readings
from tarimba.personal_data.views import View

LAYER: Final = "credentials"

_SECRET: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:.{0,6000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY"
    r"(?: BLOCK)?-----|[A-Za-z0-9+/=\s]{0,6000})"
    # Keys that say by their first letters whose they are.
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,300}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_|xox[abeoprs]-|xapp-|tar_(?:sk|pt)_|whsec_|shpat_|dop_v1_|tk[-_]"
    r"|SG\.|AIza|ya29\.|EAA[A-Za-z]{2})[A-Za-z0-9._-]{10,500}"
    r"|\b(?:AKIA|ASIA|AGPA|AROA|AIDA)[A-Z0-9]{12,20}\b"
    r"|\beyJ[A-Za-z0-9_-]{6,4000}\.[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"
    r"|(?<=://)[^\s/@:]{1,100}:[^\s/@]{1,200}(?=@)"
    r"|\b[Bb](?:earer|EARER) +[A-Za-z0-9._~+/=-]{12,4000}|\bBasic +[A-Za-z0-9+/=]{12,2000}",
    re.DOTALL,
)
_NAMED_SECRET: Final = re.compile(
    r"\b(?:(?:api|access|secret|private|auth|client|chave|clave)[ _-]{0,2}(?:key|secret|token|api|secreta|de api"
    r"|de acceso|de acesso)|(?:secret|token|segredo|secreto|credencial|credential))\b[\"']?"
    r"(?: {0,2}[:=] {0,2}| +(?:is|e|es) +)[\"'`]?(?P<value>[^\s\"'`,;]{6,4000})"
)
_PASSWORD: Final = re.compile(
    r"\b(?:senha|senhas|password|passwords|passphrase|passcode|passwd|pwd|pass|contrasena|clave|palavra[ -]passe"
    r"|login e senha)\b(?: +(?!is\b|e\b|es\b|era\b|was\b|sera\b)[a-z]{1,16}){0,5}[\"'*_]{0,3}"
    r"(?: {0,2}(?:[:=]|->|=>)\s{0,3}| +(?:is|e|es|era|was|sera)(?: +(?:now|agora|ahora|a|the|la|o))?[: ] *)"
    r"[\"'`“‘*_]{0,3}(?P<value>[^\s\"'`”’]{3,200})"
)
_CODE: Final = re.compile(
    r"\b(?:pin|otp|2fa|mfa|token|codigo (?:de )?(?:verificacao|verificacion|acesso|acceso|confirmacao|confirmacion)|sms"
    r"|(?:verification|access|confirmation|one[- ]time|login) code|senha|clave|password|passcode)\b"
    r"[^\d\n]{0,24}?\b(?P<value>\d{3}[ -]\d{3}|\d{4,8})\b(?![.,/-]?\d)"
)
_CVV: Final = re.compile(
    r"\b(?:cvv2?|cvc2?|cvn|csc|cid|cod(?:igo|\.)? (?:de )?seg(?:uranca|uridad|\.)?|security code|card code"
    r"|codigo (?:de )?verificador|digitos (?:do|de) verso)\b[^\d\n]{0,24}?(?<!\d)(?P<value>\d{3,4})(?!\d)"
)
# What stands behind "the password is" when no password does.
_NO_PASSWORD: Final = frozenset(
    """
    a ainda already alterada always an another apenas as being blocked bloqueada by changed correct correta correcta
    criada created different diferente do enviada enviado errada esta estava expirada expired for forte fraca
    generated gerada igual importante in incorrect incorreta incorrecta incorreto insegura invalid invalida invalido
    isso it muito muy my mesma misma necessaria necesaria needed never no not nova nueva obrigatoria obligatoria on
    only pedida pessoal personal para por que required resetada reset same secreta secret segura sent sempre set so
    solicitada strong temporaria temporary that the to too uma unica valid valida weak wrong sua minha nossa
    """.split()
)
# Escapes, markup, letters one by one, tokens that may be codes: other readings of such a text may say more.
_MAY_HIDE: Final = re.compile(r"[&%\\<>*=~`]|__|(?<!\S)\S([ \-_*|.])\S\1\S|[A-Za-z0-9+/]{12}")
_RULES: Final = ((_CVV, "cvv"), (_NAMED_SECRET, "secret"), (_CODE, "password"))
_SIGNS: Final = re.compile(
    r"cv[vcn]|csc|cid|seg|code|codigo|verso|key|secret|token|segredo|cred|pin|otp|2fa|mfa|sms|senha|pass|pwd|contras|clave"
    r"|palavra|chave"
)


def find_credentials(text: str) -> Iterator[Finding]:
    """Findings of kinds `secret`, `password` and `cvv`, in offsets of the text, possibly overlapping."""
    if _MAY_HIDE.search(text) is None:
        yield from _found(fold(text))
        return
    for reading in readings(text):
        # The reading that sees digits in letters has no other words than the one before it.
        if not reading.needs_cue:
            yield from _found(reading.view)


def _found(view: View) -> Iterator[Finding]:
    for match in _SECRET.finditer(view.text):
        yield Finding("secret", *view.span(*match.span()), LAYER)
    low = plain(view.text)
    if _SIGNS.search(low) is None:
        return
    for pattern, kind in _RULES:
        for match in pattern.finditer(low):
            yield Finding(kind, *view.span(*match.span("value")), LAYER)
    for match in _PASSWORD.finditer(low):
        if _is_password(match):
            yield Finding("password", *view.span(*match.span("value")), LAYER)


def _is_password(match: re.Match[str]) -> bool:
    word = match["value"].strip(".,;:!?)\"'")
    return bool(word) and word not in _NO_PASSWORD
