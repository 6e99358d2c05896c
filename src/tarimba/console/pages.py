"""Every page of the Console."""

from __future__ import annotations

from typing import Final

from tarimba.console import (
    account,
    agents,
    entering,
    inbox,
    notes,
    overview,
    people,
    preview,
    receipts,
    settings,
    settings_data,
    settings_servers,
    settings_words,
    webhooks,
)
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
        agents,
        people,
        receipts,
        webhooks,
        settings,
        settings_data,
        settings_servers,
        settings_words,
    )
    for page in module.PAGES
)
