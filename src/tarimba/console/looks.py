"""How a browser takes the Console: whether letters alone are shortcuts."""

from __future__ import annotations

from typing import Final

from tarimba.console.app_cookies import KEYS
from tarimba.console.page import Cookie, Page, Redirect, Shown, Visit
from tarimba.console.walls import safe_next
from tarimba.kernel import Kernel

_YEAR: Final = 365 * 24 * 3600


def _keys(_kernel: Kernel, visit: Visit) -> Shown:
    """Source: WCAG 2.1, 2.1.4 (character key shortcuts can be turned off)."""
    said = visit.form.choice("keys", ("on", "off"), "on")
    back = safe_next(visit.form.line("next"))
    return Redirect(back, cookies=(Cookie(KEYS, "" if said == "on" else said, _YEAR),))


PAGES: Final = (Page("POST", "/looks/keys", _keys),)
