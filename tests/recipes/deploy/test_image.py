"""The image, run as it is meant to: nobody's user, a root that is read-only, no capability, no shell."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from tarimba.client import Tarimba
from tests.fixtures.cluster import free_port
from tests.recipes.deploy.company import COMPANY, MINT, answers
from tests.recipes.deploy.engine import IMAGE, LOCKED_DOWN, Engine

pytestmark = [pytest.mark.nightly, pytest.mark.promise("image-locked-down")]

BYTES_MAX = 300 * 1024 * 1024
PROBE = """
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print(os.getuid(), os.getgid(), *(status[name].strip() for name in ("CapEff", "CapBnd", "NoNewPrivs")))
for path in ("/written", "/opt/tarimba/written", "/var/lib/tarimba/written", "/tmp/written"):
    try:
        open(path, "w").close()
        print(path)
    except OSError as error:
        print(path, error.strerror)
"""


def test_the_image_says_who_it_is(engine: Engine) -> None:
    (found,) = json.loads(engine.call("image", "inspect", IMAGE))
    config = found["Config"]
    assert config["User"] == "10001:10001"
    assert config["StopSignal"] == "SIGTERM"
    assert list(config["Volumes"]) == ["/var/lib/tarimba"]
    assert config["Entrypoint"] == ["/opt/tarimba/bin/tarimba"]
    assert found["HealthCheck" if "HealthCheck" in found else "Healthcheck"]
    assert found["Size"] <= BYTES_MAX


def test_it_has_no_shell_no_package_manager_and_nothing_to_write(engine: Engine) -> None:
    python = ("--entrypoint=/opt/tarimba/bin/python", "--network=none")
    listed = engine.run(
        IMAGE, "-c", "import os; print(*os.listdir('/usr/bin'), *os.listdir('/bin'))", options=python
    )
    assert set(listed.split()) <= {"python3", "python3.11"}
    told = engine.run(IMAGE, "-c", PROBE, options=(*python, *LOCKED_DOWN))
    assert told.splitlines() == [
        f"10001 10001 {'0' * 16} {'0' * 16} 1",
        "/written Read-only file system",
        "/opt/tarimba/written Read-only file system",
        "/var/lib/tarimba/written",
        "/tmp/written",
    ]


def test_it_runs_the_demo(engine: Engine) -> None:
    told = engine.run(IMAGE, "demo", options=("--network=none", *LOCKED_DOWN))
    assert "Nothing wrong was found." in told
    assert "The first bad seq is" in told


def test_a_note_survives_the_container_that_took_it(engine: Engine, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "TARIMBA_MASTER_KEY").write_bytes(base64.b64encode(os.urandom(32)))
    (secrets / "company.toml").write_text(COMPANY)
    volume, port = f"tarimba-{os.urandom(6).hex()}", free_port()
    options = (
        *LOCKED_DOWN, "--network=host", f"--volume={volume}:/var/lib/tarimba", f"--volume={secrets}:/run/secrets:ro",
        "--env=TARIMBA_SECRETS_DIR=/run/secrets", "--env=TARIMBA_HOST=127.0.0.1", f"--env=TARIMBA_PORT={port}",
    )  # fmt: skip
    engine.run(IMAGE, "apply", "/run/secrets/company.toml", options=options)
    key = engine.run(IMAGE, *MINT, options=options).strip()
    address = f"http://127.0.0.1:{port}"
    with engine.started(IMAGE, options=options) as name, Tarimba(key, address) as memory:
        answers(f"{address}/readyz")
        kept = memory.remember("pitfall", "Paid twice", "Ask the ERP before a refund is promised.")
        assert kept.note
        # The connection stays open, as an agent's would.
        engine.call("kill", "--signal=SIGTERM", name)
        assert engine.call("wait", name).strip() in {"0", "143"}
    with engine.started(IMAGE, options=options), Tarimba(key, address) as memory:
        answers(f"{address}/readyz")
        assert "Ask the ERP" in memory.agent_memory(conversation_id="one").text
    assert "Nothing wrong was found." in engine.run(IMAGE, "receipts", "verify", options=options)
    # The key came from the file: none was made beside the data.
    listing = engine.run(
        IMAGE, "-c", "import os; print(*os.listdir('/var/lib/tarimba'))",
        options=(*options, "--entrypoint=/opt/tarimba/bin/python"),
    )  # fmt: skip
    assert "keys" not in listing.split()
    engine.call("volume", "rm", volume)
