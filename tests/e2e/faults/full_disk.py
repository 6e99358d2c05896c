"""A server whose disk runs full and gets room again. Run: python -m tests.e2e.faults.full_disk FOLDER, a small disk."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from tests.e2e.company import Place, found
from tests.e2e.faults.asking import FREE, Promised, require_recovered, require_refused, under_load
from tests.fixtures.server import running_server


def main(data: Path) -> None:
    """Raises `AssertionError` where a client is told something else than what is so."""
    place = Place(data, None)
    company, promised = found(place, **FREE), Promised()
    filler = data / "filler"
    with running_server(data, None, env=place.environment) as server:
        with under_load(server, company, promised):
            promised.wait_for(20)
            with suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(b"x" * 4096):
                    continue
            require_refused(server, company)
            filler.unlink()
            promised.wait_for(len(promised.receipts) + 20)
        require_recovered(server, place, company, promised)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
