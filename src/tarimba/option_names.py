"""Names that begin like our variables and are none: most are misspelled options that would change nothing, silently."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

PREFIX: Final = "TARIMBA_"
# Read by the client, from the same environment.
OF_THE_CLIENT: Final = frozenset({"TARIMBA_API_KEY", "TARIMBA_BASE_URL"})
_SHOWN: Final = 5
_LONGEST: Final = 64
# What Kubernetes puts into every container for a Service called `tarimba` or `tarimba-...`.
_OF_A_SERVICE: Final = re.compile(r"TARIMBA_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_\w+)?)")


def unknown_of(given: Collection[str], known: Collection[str]) -> list[str]:
    """The names among `given` that begin like ours and are not `known`, in any case, in alphabetical order."""
    return sorted(name for name in given if name.upper().startswith(PREFIX) and name.upper() not in known)


def problem_of(given: Collection[str], known: Collection[str]) -> str | None:
    """The sentence that refuses unknown names, each with the nearest known one; None when there is none.

    It holds names alone: a value may be a secret under a misspelled name.
    """
    unknown = unknown_of(given, known)
    if not unknown:
        return None
    told = [_told(name, known) for name in unknown[:_SHOWN]]
    more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    hint = (
        " Kubernetes sets such names for a Service: give the pod enableServiceLinks: false."
        if any(map(_OF_A_SERVICE.fullmatch, unknown))
        else ""
    )
    return f"The environment sets what is no option: {', '.join(told)}{more}. Correct or unset it.{hint}"


def _told(name: str, known: Collection[str]) -> str:
    shown = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    near = get_close_matches(name.upper(), sorted(known), n=1, cutoff=0.8)
    return f"{shown} (did you mean {near[0]}?)" if near else shown
