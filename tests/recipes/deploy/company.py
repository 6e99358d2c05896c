"""A company for what is deployed, and asking a server until it answers."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from typing import Final

COMPANY: Final = """\
[space]
slug = "acme"
language = "en"
[agent_memory]
enabled = true
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "generic"
persona = { "AGENT.md" = "You collect what is due, kindly." }
[[person]]
slug = "rita"
email = "rita@acme.example"
roles = ["owner", "member"]
[[subscription]]
slug = "matriz"
members = ["rita"]
[[workspace]]
subscription = "matriz"
agent = "billing"
members = ["rita"]
"""
MINT: Final = (
    "keys", "mint", "--agent", "billing", "--name", "prod",
    "--scope", "agent_memory", "--scope", "agent_memory:write",
)  # fmt: skip
DEADLINE_SECONDS: Final = 120.0
POLL_SECONDS: Final = 0.1


def answers(url: str) -> None:
    """Waits until the URL answers 200. Raises TimeoutError."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (OSError, urllib.error.URLError):
            time.sleep(POLL_SECONDS)
    raise TimeoutError(f"{url} did not answer in time")
