"""Adapters: each puts the agent's notes into what one framework sends to its model. Import the one that you need."""
