"""Everything that the server's API has, by group: `client.api.notes.list()`. Loaded when it is first used."""
