"""A kernel on an empty database of each kind, and a company in it."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.identity.company import Company, found


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    with open_kernel(Settings(data=tmp_path, db=database_url, master_key=master)) as opened:
        yield opened


@pytest.fixture
def company(kernel: Kernel) -> Iterator[Company]:
    made = found(kernel)
    with made.client:
        yield made
