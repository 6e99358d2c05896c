"""The names of the Console's cookies."""

from __future__ import annotations

from typing import Final

SESSION: Final = "tarimba_session"
GUEST: Final = "tarimba_form"
PENDING: Final = "tarimba_pending"
THEME: Final = "tarimba_theme"
KEYS: Final = "tarimba_keys"
LANGUAGE: Final = "tarimba_language"
