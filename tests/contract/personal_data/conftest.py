"""A kernel on an empty database of each kind, and an office in it."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.personal_data.office import ListedNames, Office, open_office


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    with open_kernel(Settings(data=tmp_path, db=database_url, master_key=master)) as opened:
        yield opened


@pytest.fixture
def names() -> ListedNames:
    return ListedNames()


@pytest.fixture
def office(kernel: Kernel, names: ListedNames) -> Iterator[Office]:
    made = open_office(kernel, names)
    with made.client:
        yield made
