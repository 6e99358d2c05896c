"""A server at work for long, and what it holds meanwhile. Run: python -m benchmarks.soak --minutes N"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.e2e.company import Place, found
from tests.e2e.soaking import faults, soaking, watched
from tests.fixtures.server import running_server

_SAMPLES = 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(prefix="tarimba-soak-") as folder:
        place = Place(Path(folder), None)
        company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
        with (
            running_server(place.data, None, env=place.environment) as server,
            soaking(server, company) as soak,
        ):
            samples = watched(soak, place, minutes * 60, _SAMPLES)
        for sample in samples[:: _SAMPLES // 10]:
            print(json.dumps(asdict(sample)))
        print(
            json.dumps({f"{what} {status}": count for (what, status), count in sorted(soak.answers.items())})
        )
        print("; ".join(faults(samples)) or "nothing grew that should not")


if __name__ == "__main__":
    main()
