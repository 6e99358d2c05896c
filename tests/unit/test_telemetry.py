"""What libraries log: their words only where they can't hold what a caller sent."""

import json
import logging

import pytest

from tarimba.telemetry.logs import _Line


@pytest.mark.parametrize(("name", "is_told"), [("uvicorn.error", True), ("sqlalchemy.engine", False)])
def test_only_the_server_loop_speaks_in_its_own_words(name: str, is_told: bool) -> None:
    record = logging.LogRecord(name, logging.ERROR, "file", 1, "parameters: %s", ("a value",), None)
    line = json.loads(_Line().format(record))
    assert (line["logger"], line["level"]) == (name, "error")
    assert ("message" in line) == is_told
    assert is_told or "a value" not in json.dumps(line)
