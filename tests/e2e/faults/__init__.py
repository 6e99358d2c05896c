"""What fails outside of us, and what clients see of it."""
