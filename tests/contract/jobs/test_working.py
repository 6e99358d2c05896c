"""Who does the work: the server's own process, unless it is told not to."""

import base64
import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba import app
from tarimba.http.listening import Listening
from tarimba.settings import Settings


@pytest.mark.promise("jobs-where-you-want")
@pytest.mark.parametrize("works", [True, False])
def test_a_server_does_the_jobs_unless_it_is_told_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    seen: list[bool] = []

    def run(_self: Listening) -> None:
        names = {thread.name for thread in threading.enumerate()}
        seen.append(names.issuperset({"tarimba-worker-0", "tarimba-upkeep", "tarimba-leases"}))

    monkeypatch.setattr(Listening, "run", run)
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    app.serve(Settings(data=tmp_path, master_key=master, jobs=works))
    assert seen == [works]
    assert not any(thread.name.startswith("tarimba-worker") for thread in threading.enumerate())
