"""What a secret may be called and hold, and whose value an agent gets. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from tarimba.errors import Refusal, invalid
from tarimba.harnesses.service import profile, shipped
from tarimba.workspaces.secret_model import Secret

VALUE_MAX: Final = 64 * 1024
SECRETS_MAX: Final = 100
_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
# What the loader, the shell or an interpreter reads from its environment.
_RESERVED: Final = frozenset(
    """
    BASH_ENV CDPATH ENV GLOBIGNORE HOME HOSTNAME IFS LANG LOGNAME MAIL OLDPWD PATH PERL5LIB
    PERL5OPT PS4 PWD RUBYLIB RUBYOPT SHELL SHELLOPTS BASHOPTS SHLVL TERM TMPDIR TZ USER
    """.split()
)
# And what moves the roots of a harness to where they are mounted.
_OF_HARNESSES: Final = frozenset(name for harness in shipped() for name in profile(harness).environment)
_RESERVED_BEGINNINGS: Final = (
    "BASH_FUNC_", "CRAB_", "DYLD_", "GCONV_", "GLIBC_", "JAVA_TOOL_", "LC_", "LD_", "MALLOC_", "NODE_", "PYTHON",
    "TARIMBA_", "XDG_",
)  # fmt: skip


def checked_secret_name(name: str) -> str:
    """A name that may be an environment variable and a file. Raises 422."""
    if _NAME.fullmatch(name) is None:
        raise invalid("name", "a capital letter, then up to 63 capital letters, digits and underscores")
    if name in _RESERVED | _OF_HARNESSES or name.startswith(_RESERVED_BEGINNINGS):
        raise invalid(
            "name", "is one that programs read from their environment for themselves: choose another"
        )
    return name


def checked_value(value: str) -> bytes:
    """The bytes of a value. Raises 422 and 413."""
    if "\0" in value:
        raise invalid("value", "must not hold a NUL: an environment can't carry it")
    data = value.encode()
    if not data:
        raise invalid("value", "must not be empty: delete the secret instead")
    if len(data) > VALUE_MAX:
        raise Refusal("too_large", f"The value is larger than {VALUE_MAX} bytes.")
    return data


def rank(secret: Secret) -> tuple[bool, bool, bool]:
    """How near to one member it is: the nearest wins."""
    return bool(secret.person_id), bool(secret.subscription_id), bool(secret.source_id)


def merged(secrets: Iterable[Secret]) -> Mapping[str, Secret]:
    """By name, sorted, the one that wins.

    The member's own, then that of the subscription for this agent, of the subscription, of the space for this agent,
    and of the space.
    """
    nearest = {one.name: one for one in sorted(secrets, key=rank)}
    return {name: nearest[name] for name in sorted(nearest)}
