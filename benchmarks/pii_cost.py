"""CPU of the local detectors a note: over the development sets, and over inputs made to be expensive.

A part of `python -m benchmarks`. Alone: python -m benchmarks.pii_cost [DIRECTORY OF THE SETS] prints all as JSON.
"""

import base64
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.known_customers import candidates_of
from tarimba.personal_data.sightings import sightings
from tarimba.vault import SpaceKey

SETS = Path(__file__).parents[1] / "tests" / "data" / "pii"
REPEATS = 5
SIZES = (2_000, 20_000)


def notes(directory: Path) -> Iterator[Mapping[str, str | tuple[str, ...]]]:
    """The rows of the sets as notes: the first words as title, the text as body, two tags."""
    for name in ("synthetic_positive", "negative", "evasion"):
        for line in (directory / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            text = json.loads(line)["text"]
            yield {"title": text[:40], "body": text, "tags": ("invoice", "erp.v2")}


def hostile(size: int) -> dict[str, str]:
    """Texts of `size` characters, each made of what one part of the detectors works hardest on."""
    token = base64.b64encode(b"x 52998224725").decode()
    units = {
        "digits": "1",
        "single digits": "1 ",
        "pairs of digits": "11 ",
        "cpf": "529.982.247-25 ",
        "cued numbers": "cpf 12345678 ",
        "cue words": "cpf tel pix ",
        "phones": "(11) 98765-4321 ",
        "foreign phones": "+44 7911 123456 ",
        "at signs": "a@",
        "addresses": "a@b.com.br ",
        "spoken": "nove oito ",
        "spoken addresses": "a arroba b ponto c ",
        "tokens": f"{token} ",
        "hexadecimal": "3532392e3938 ",
        "escapes": "%35&#53;\\u0035",
        "tags": "<<b",
        "stars": "*1",
        "marks": "a\u0301\u0316",
        "wide digits": "５２９",
        "overrides": "\u202e1",
        "letters for digits": "O1S2 ",
        "cards": "4539 1488 0343 6467 ",
        "ibans": "GB82 WEST 1234 ",
        "dates": "nasc 12/03/1984 ",
        "every step at once": "(11) 98765-4321 &lt; <b> 1 1 nove dois **cpf** 5299822472S ",
        "every step, nothing found": "pedido 11987654321 &lt; <b> 1 1 nove dois **lote** 5299822472S ",
        "order numbers": "pedido 11987654321 ",
        "encoded numbers": base64.b64encode(b"529.982.247-25 ").decode(),
        "blanks": " ",
        "words": "a",
    }
    return {name: (unit * size)[:size] for name, unit in units.items()}


def candidates(size: int) -> dict[str, str]:
    """Texts of `size` characters in which nearly every place may be a known customer, each a different one."""
    draw = random.Random(size)
    pairs = " ".join(str(draw.randint(10, 99)) for _ in range(size // 2))
    words = " ".join("".join(draw.choices("abcdefghij", k=2)) for _ in range(size // 2))
    return {"pairs of digits": pairs[:size], "short words": words[:size]}


def measure(directory: Path = SETS) -> dict[str, Any]:
    """Milliseconds of CPU: of the notes of a folder of sets, and of the worst input of each size."""
    detectors = Detectors.local()
    usual = [_least(partial(detectors.check, note)) for note in notes(directory)]
    report: dict[str, Any] = {
        "notes": len(usual),
        "median_ms": round(statistics.median(usual), 3),
        "p95_ms": round(statistics.quantiles(usual, n=20)[-1], 3),
        "worst_ms": round(max(usual), 3),
        "hostile_ms": {},
        "known_ms": {},
    }
    for size in SIZES:
        texts, mixed = hostile(size), candidates(size)
        report["hostile_ms"][str(size)] = {
            name: round(_least(partial(detectors.check, {"body": text})), 2) for name, text in texts.items()
        }
        report["known_ms"][str(size)] = {
            name: round(_least(partial(_macs, text)), 2) for name, text in mixed.items()
        }
    return report | {"growth": growth(report["hostile_ms"])}


def growth(costs: Mapping[str, Mapping[str, float]]) -> float:
    """How many times as much the input that grows fastest costs at the larger size; ten times is linear."""
    small, large = (costs[str(size)] for size in SIZES)
    # What a millisecond does not reach is the fixed cost of any check.
    return round(max(large[name] / small[name] for name in small if small[name] >= 1), 2)


def _macs(text: str) -> int:
    return len(candidates_of(SpaceKey(bytes(32)), sightings(text)))


def _least(work: Callable[[], object]) -> float:
    """The least of some runs in milliseconds of CPU: what other processes do is not our cost."""
    runs = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        runs.append(time.process_time() - start)
    return min(runs) * 1000


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else SETS
    print(json.dumps(measure(directory), indent=1))


if __name__ == "__main__":
    main()
