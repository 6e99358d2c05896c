"""The memory graph of a member, and the epoch of a membership."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"

# Bytes decide the order on both databases, whatever the collation of the cluster.
_STRING = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_LONG = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column(
        "subscription_member", sa.Column("epoch", sa.BigInteger(), server_default="0", nullable=False)
    )
    _part_1()
    _part_2()
    _part_3()
    _part_4()
    _part_5()


def _texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _STRING, nullable=nullable) for name in names]


def _long_texts(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, _LONG, nullable=nullable) for name in names]


def _ints(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.BigInteger(), nullable=nullable) for name in names]


def _blobs(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.LargeBinary(), nullable=nullable) for name in names]


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name=f"uq_{table}_{'_'.join(columns)}")


def _to(table: str, target: str, *columns: str) -> sa.ForeignKeyConstraint:
    """A foreign key to columns of the same names."""
    there = [f"{target}.{name}" for name in columns]
    return sa.ForeignKeyConstraint(list(columns), there, name=f"fk_{table}_{'_'.join(columns)}")


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _part_1() -> None:
    op.create_table(
        "graph",
        *_texts("space_id"),
        *_ints("graph_no"),
        *_texts("subscription_id", "source_id", "person_id"),
        *_ints("entities", "observations", "relations"),
        *_ints("arriving", nullable=True),
        *_ints("created_at"),
        _key("graph", "space_id", "graph_no"),
        _unique("graph", "space_id", "subscription_id", "source_id", "person_id"),
        _to("graph", "space", "space_id"),
    )
    op.create_table(
        "graph_entity",
        *_texts("space_id"),
        *_ints("graph_no", "entity_no"),
        *_long_texts("name"),
        *_texts("name_key", "folded_key"),
        *_long_texts("entity_type"),
        *_texts("status"),
        *_ints("merged_into", nullable=True),
        *_ints("observations"),
        *_long_texts("conversation_id", nullable=True),
        *_ints("created_at", "changed_at", "changed_no"),
        _key("graph_entity", "space_id", "graph_no", "entity_no"),
        _unique("graph_entity", "space_id", "name_key", "graph_no"),
        _to("graph_entity", "graph", "space_id", "graph_no"),
    )
    _index("graph_entity", "space_id", "conversation_id", "graph_no")
    _index("graph_entity", "space_id", "entity_type", "graph_no")
    _index("graph_entity", "space_id", "folded_key", "graph_no")
    _index("graph_entity", "space_id", "graph_no", "changed_no")
    _index("graph_entity", "space_id", "merged_into", "graph_no")


def _part_2() -> None:
    op.create_table(
        "graph_observation",
        *_texts("space_id"),
        *_ints("graph_no", "entity_no", "observation_no"),
        *_long_texts("content"),
        *_texts("content_key"),
        *_ints("confidence", nullable=True),
        *_long_texts("conversation_id", nullable=True),
        *_ints("created_at"),
        _key("graph_observation", "space_id", "graph_no", "entity_no", "observation_no"),
        _unique("graph_observation", "space_id", "content_key", "entity_no", "graph_no"),
        _to("graph_observation", "graph", "space_id", "graph_no"),
    )
    _index("graph_observation", "space_id", "conversation_id", "graph_no")
    op.create_table(
        "graph_relation",
        *_texts("space_id"),
        *_ints("graph_no", "relation_no"),
        *_long_texts("from_name", "to_name"),
        *_texts("from_key", "to_key"),
        *_long_texts("relation_type"),
        *_texts("type_key"),
        *_long_texts("conversation_id", nullable=True),
        *_ints("created_at"),
        _key("graph_relation", "space_id", "graph_no", "relation_no"),
        _unique("graph_relation", "space_id", "from_key", "to_key", "type_key", "graph_no"),
        _to("graph_relation", "graph", "space_id", "graph_no"),
    )
    _index("graph_relation", "space_id", "conversation_id", "graph_no")
    _index("graph_relation", "space_id", "to_key", "graph_no")


def _part_3() -> None:
    op.create_table(
        "graph_word",
        *_texts("space_id"),
        *_ints("graph_no", "shard"),
        *_long_texts("words", "forms"),
        _key("graph_word", "space_id", "graph_no", "shard"),
        _to("graph_word", "graph", "space_id", "graph_no"),
    )
    op.create_table(
        "graph_posting",
        *_texts("space_id"),
        *_ints("graph_no", "term", "chunk"),
        *_blobs("members"),
        _key("graph_posting", "space_id", "graph_no", "term", "chunk"),
        _to("graph_posting", "graph", "space_id", "graph_no"),
    )


def _part_4() -> None:
    op.create_table(
        "graph_vector",
        *_texts("space_id"),
        *_ints("graph_no", "entity_no"),
        *_texts("model"),
        *_ints("changed_no"),
        *_blobs("vector"),
        _key("graph_vector", "space_id", "graph_no", "entity_no"),
        _to("graph_vector", "graph", "space_id", "graph_no"),
    )
    _index("graph_vector", "space_id", "graph_no", "model", "changed_no")
    op.create_table(
        "graph_change",
        *_texts("space_id"),
        *_ints("graph_no", "change_no"),
        *_texts("change_id", "action", "actor_type", "actor_id"),
        *_long_texts("conversation_id", nullable=True),
        *_long_texts("before"),
        *_texts("undone_by", nullable=True),
        *_texts("receipt_id"),
        *_ints("at"),
        _key("graph_change", "space_id", "graph_no", "change_no"),
        _unique("graph_change", "space_id", "change_id"),
        _to("graph_change", "graph", "space_id", "graph_no"),
    )
    _index("graph_change", "space_id", "at")
    _index("graph_change", "space_id", "graph_no", "at")


def _part_5() -> None:
    op.create_table(
        "open_turn",
        *_texts("space_id", "subscription_id", "source_id", "person_id", "turn_key"),
        *_long_texts("conversation_id"),
        *_ints("started_at"),
        _key("open_turn", "space_id", "subscription_id", "source_id", "person_id", "turn_key"),
        _to("open_turn", "space", "space_id"),
    )
