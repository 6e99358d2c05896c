"""Tarimba: a governed memory for AI agents."""

__version__ = "0.2.0.dev0"
