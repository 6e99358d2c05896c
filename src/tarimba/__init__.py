"""Tarimba: a governed memory for AI agents."""

__version__ = "0.1.0"
