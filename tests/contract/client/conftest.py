"""The company of the notes' tests behind the whole server."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarimba.app import build_app, open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.client.company import Company
from tests.contract.mcp.served import listening
from tests.contract.notes.world import found_company


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = base64.b64encode(b"m" * 32).decode()
    settings = Settings.model_validate({"data": tmp_path, "db": database_url, "master_key": master})
    with open_kernel(settings) as opened:
        yield opened


@pytest.fixture(params=["threads", "asyncio"])
def company(kernel: Kernel, request: pytest.FixtureRequest) -> Iterator[Company]:
    """With clients of either kind."""
    with listening(build_app(kernel)) as port:
        yield Company(found_company(kernel), f"http://127.0.0.1:{port}", request.param)
