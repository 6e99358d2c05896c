"""How a column is declared: its type and, in the same breath, what it holds and who erases it.

The declaration is the data catalogue: a column whose kind is not declared can't be made.
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import BigInteger, Column, LargeBinary, String, Text

Holds = Literal["id", "code", "number", "time", "digest", "secret", "name", "text", "caller_id"]
"""`name` is what an administrator typed, `text` what agents wrote, `caller_id` an id of the caller's own."""

# Order must not depend on the collation of the cluster: bytes decide on both databases.
_BYTES = String().with_variant(String(collation="C"), "postgresql")
_LONG = Text().with_variant(Text(collation="C"), "postgresql")


def column(
    name: str,
    kind: Literal["str", "text", "int", "bytes"],
    holds: Holds,
    *,
    erased_by: str = "",
    **options: Any,
) -> Column[Any]:
    """A column with its entry in the data catalogue.

    `erased_by` names the act that removes the content: needed wherever `holds` can carry words of agents or
    ids of callers. `options` are SQLAlchemy's (`primary_key`, `default`, `nullable` ...).
    """
    if holds in ("text", "caller_id") and not erased_by:
        raise ValueError(f"{name}: say which act erases it")
    types: dict[str, Any] = {"str": _BYTES, "text": _LONG, "int": BigInteger(), "bytes": LargeBinary()}
    options.setdefault("nullable", False)
    return Column(name, types[kind], info={"holds": holds, "erased_by": erased_by}, **options)
