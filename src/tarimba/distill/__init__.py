"""From a conversation to a proposal."""
