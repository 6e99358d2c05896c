"""Runs a command inside a workspace, with the kernel holding it there. Stands on the standard library alone."""
