"""`python -m tarimba.cli`."""

from tarimba.cli import main

main()
