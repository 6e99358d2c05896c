"""The revisions of the schema, run by `tarimba.storage.migrate`."""
