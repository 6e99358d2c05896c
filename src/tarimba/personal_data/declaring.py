"""`tarimba apply` with the vocabulary of the file."""

from __future__ import annotations

from functools import partial

from tarimba.identity import hosting
from tarimba.identity.hosting import Applied
from tarimba.kernel import Kernel
from tarimba.personal_data.vocabulary import declared


def apply_text(kernel: Kernel, text: str, as_email: str | None = None) -> Applied:
    """Brings a space to what the text of a TOML file declares, its vocabulary included, in one transaction."""
    return hosting.apply_text(kernel, text, as_email, partial(declared, kernel))
