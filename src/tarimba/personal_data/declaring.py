"""`tarimba apply` with the vocabulary of the file."""

from __future__ import annotations

from collections.abc import Mapping

from tarimba.identity import hosting
from tarimba.identity.hosting import Also, Applied, Manifest, Part
from tarimba.kernel import Kernel
from tarimba.personal_data.vocabulary import declared


def apply_text(
    kernel: Kernel, text: str, as_email: str | None = None, parts: Mapping[str, Part] | None = None
) -> Applied:
    """Brings a space to what the text of a TOML file declares, its vocabulary included, in one transaction.

    `parts` take what belongs to other slices.
    """

    def vocabulary(manifest: Manifest) -> Also:
        return declared(kernel, manifest.vocabulary)

    return hosting.apply_text(kernel, text, as_email, {"vocabulary": vocabulary} | dict(parts or {}))
