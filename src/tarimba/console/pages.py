"""Every page of the Console."""

from __future__ import annotations

from typing import Final

from tarimba.console import account, entering, inbox, notes, overview, preview
from tarimba.console.page import Page

PAGES: Final[tuple[Page, ...]] = tuple(
    page
    for module in (
        entering,
        account,
        inbox,
        notes,
        overview,
        preview,
    )
    for page in module.PAGES
)
