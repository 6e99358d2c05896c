"""What Alembic runs: the revisions, on the connection and in the transaction that `migrate` hands over."""

from __future__ import annotations

from alembic import context

from tarimba.storage.tables import metadata

connection = context.config.attributes["connection"]
# SQLite's DDL is transactional too, though Alembic assumes that it is not.
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
