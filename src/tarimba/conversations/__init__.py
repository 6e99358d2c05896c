"""Conversations and tasks: what agents tell of them, masked before it is stored, and what is kept of it."""
