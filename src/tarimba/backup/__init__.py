"""Backup and restore: everything that an installation keeps in one file, and an installation out of it."""
