"""The metadata that every table joins, and the foreign keys that most of them carry."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, MetaData

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def space_fk() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["space_id"], ["space.space_id"])


def agent_fk() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["space_id", "source_id"], ["agent.space_id", "agent.source_id"])
