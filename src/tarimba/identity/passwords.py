"""Passwords: what is taken for one, and how it is kept.

Source: RFC 9106 (argon2id), with the parameters that OWASP's cheat sheet on password storage names first, since
several requests may hash at once: 19 MiB, two passes, one lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tarimba.errors import invalid

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LENGTH_MIN: Final = 12
LENGTH_MAX: Final = 256
_MEMORY_KIB: Final = 19 * 1024
# What people type when twelve characters are asked for.
_GUESSED: Final = frozenset(
    "123456789012 1234567890123 password1234 passw0rd1234 password12345 qwertyuiop12 qwerty123456 senha1234567 "
    "senhasenha12 contrasena12 contraseña12 letmein12345 adminadmin12 administrador administrator changeme1234 "
    "mudar1234567 tarimbatarimba abcdefghijkl abcd12345678 iloveyou1234 bemvindo1234 bienvenido12 welcome12345".split()
)
# The hash of a password that nobody has: an address that is not known costs what a known one costs.
_NOBODY: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$KtHr+4h+nP09qkiGA+6qRQ$n69H7jA/KQl0JtjtjzWH1ORke1H7TZCTH3OIOPsohUM"
)


def checked(password: str, *, about: tuple[str, ...] = ()) -> str:
    """The password if it is one. `about` are words that anybody could guess: address, name, company. Raises 422."""
    if not LENGTH_MIN <= len(password) <= LENGTH_MAX:
        raise invalid("password", f"must have {LENGTH_MIN} to {LENGTH_MAX} characters")
    folded = password.casefold()
    if folded in _GUESSED or len(set(folded)) < 5 or _says_little(folded, about):
        raise invalid("password", "is too easy to guess: use several words that don't belong together")
    return password


def hashed(password: str) -> str:
    """What is stored. Takes some 20 ms and 19 MiB: never under a lock."""
    return str(_hasher().hash(password))


def matches(stored: str | None, password: str) -> bool:
    """Whether it is the password; without a stored one the time is spent all the same."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        _hasher().verify(stored or _NOBODY, password[: LENGTH_MAX + 1])
    except (VerificationError, InvalidHashError):
        return False
    return bool(stored)


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=_MEMORY_KIB, parallelism=1)


def _says_little(folded: str, about: tuple[str, ...]) -> bool:
    """Whether hardly anything is left when the words that everybody knows are taken out."""
    left = folded
    for word in about:
        if len(word) > 3:
            left = left.replace(word.casefold(), "")
    return len(left) < LENGTH_MIN // 2
