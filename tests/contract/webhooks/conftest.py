"""A company whose webhooks may lead to receivers on this machine."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tests.contract.notes.world import found_company
from tests.contract.webhooks.office import Office
from tests.contract.webhooks.receivers import Receiver, receiving


@pytest.fixture
def kernel(database_url: str, tmp_path: Path) -> Iterator[Kernel]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    given = {"data": tmp_path, "db": database_url, "master_key": master, "webhook_hosts": "127.0.0.1"}
    with open_kernel(Settings.model_validate(given)) as opened:
        yield opened


@pytest.fixture
def office(kernel: Kernel) -> Office:
    return Office(kernel, found_company(kernel))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one
