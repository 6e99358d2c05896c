"""The receiver of the documentation, in Node with the npm library of Standard Webhooks, takes what we send."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tarimba.webhooks import signing
from tarimba.webhooks.posting import Post
from tests.docs.markdown import fences
from tests.fixtures.cluster import free_port

pytestmark = [pytest.mark.nightly, pytest.mark.promise("webhooks-verified")]

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OLD, NEW, STRANGE = (letter * 32 for letter in (b"o", b"n", b"s"))
BODY = b'{"type":"agent_note.created","timestamp":"2026-11-30T12:00:00.000000Z","data":{"version":1}}'


def folder() -> Path:
    """A folder with the locked packages, made once for a state of the lock. Every package's hash is checked."""
    state = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    made = ROOT / "build" / f"standardwebhooks-{state}"
    finished = made / "finished"
    if not finished.exists():
        made.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, made / name)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=made, check=True)
        finished.touch()
    return made


@contextmanager
def receiver(secret: bytes) -> Iterator[str]:
    """The URL of the documentation's receiver."""
    (source,) = [
        fence.text for fence in fences(ROOT / "docs" / "how-to" / "webhooks.md") if fence.language == "ts"
    ]
    where, port = folder(), free_port()
    # What it says of types is in its imports: as it stands it is JavaScript too.
    program = where / "receiver.mjs"
    program.write_text(source, encoding="utf-8")
    environment = os.environ | {"WEBHOOK_SECRET": signing.shown(secret), "PORT": str(port)}
    process = subprocess.Popen(["node", str(program)], env=environment, stdout=subprocess.PIPE)
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
            client.get(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.communicate()


@pytest.mark.parametrize("secret", [OLD, NEW])
def test_it_takes_what_is_genuine_under_either_secret(secret: bytes) -> None:
    with receiver(secret) as url:
        assert _sent(url, [OLD, NEW], BODY, BODY) == 204


def test_it_refuses_what_is_not() -> None:
    with receiver(OLD) as url:
        assert _sent(url, [STRANGE], BODY, BODY) == 401
        assert _sent(url, [OLD], BODY, BODY.replace(b"1", b"2")) == 401


def _sent(url: str, secrets: list[bytes], signed: bytes, body: bytes) -> int | None:
    headers = signing.headers(secrets, "e-1", int(time.time()), signed)
    return Post(frozenset({"127.0.0.1"}))(url, headers, body).status
