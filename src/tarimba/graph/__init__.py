"""The memory graph: entities, observations about them and relations between them, each a member's own."""
