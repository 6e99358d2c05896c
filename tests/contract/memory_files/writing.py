"""Writes a memory file once and says what came of it: to be run under a tracer that makes system calls fail."""

import sys
from pathlib import Path

import structlog

from tarimba.errors import Refusal
from tests.contract.memory_files.replacing import replace


def main() -> None:
    structlog.configure(logger_factory=structlog.WriteLoggerFactory(sys.stderr))
    try:
        replace(Path(sys.argv[1]), b"new" * 1000)
        sys.stdout.write("written")
    except Refusal as refusal:
        sys.stdout.write(f"{refusal.code}: {refusal.detail}")


if __name__ == "__main__":
    main()
