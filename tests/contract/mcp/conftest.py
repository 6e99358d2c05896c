"""The company of the notes' tests, served over MCP."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.mcp.served import Served, serving
from tests.contract.notes.world import found_company


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    public_url = "https://memory.acme.example/tarimba"
    settings = Settings.model_validate(
        {"data": tmp_path, "db": database_url, "master_key": master, "public_url": public_url}
    )
    with open_kernel(settings) as opened:
        yield opened


@pytest.fixture
def served(kernel: Kernel) -> Iterator[Served]:
    with serving(found_company(kernel)) as running:
        yield running
