"""Every page of the Console."""

from __future__ import annotations

from typing import Final

from tarimba.console import account, entering
from tarimba.console.page import Page

PAGES: Final[tuple[Page, ...]] = tuple(
    page
    for module in (
        entering,
        account,
    )
    for page in module.PAGES
)
