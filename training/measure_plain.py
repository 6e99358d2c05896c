"""How much ordinary technical text is refused: `python -m training.measure_plain FILE [--all] [--show N]`.

FILE holds rows of skill files (`repo`, `path`, `text`); the half that training sees is read only with `--all`.
Paragraphs with an e-mail address or an author line are left aside: those name people rightly.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import Final

from tarimba.personal_data.detectors import Detectors
from training.corpora import paragraphs

ASIDE: Final = re.compile(
    r"@[\w-]+\.\w|^\s*[-*]?\s*\W*(?:author|maintainer|credit|copyright|contact)", re.IGNORECASE | re.MULTILINE
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", type=int, default=1000)
    options = parser.parse_args()
    detectors = Detectors.local()
    halves = (True, False) if options.all else (True,)
    rows = [row for odd in halves for row in paragraphs(options.file, odd=odd) if not ASIDE.search(row[1])]
    refused: Counter[str] = Counter()
    for source, text in rows:
        counted = detectors.findings(text)
        refused["recall"] += bool(counted)
        refused["precision"] += any(f.sure for f in counted)
        if counted and options.show:
            options.show -= 1
            print(source, [(f.kind, f.layer, text[f.start : f.end]) for f in counted[:3]])
    for strictness, count in sorted(refused.items()):
        print(f"{strictness}: {count} of {len(rows)} paragraphs refused, {count / len(rows):.2%}")


if __name__ == "__main__":
    main()
