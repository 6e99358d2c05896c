"""A company whose agents have recorded turns."""

from collections.abc import Callable
from typing import Any

import pytest

from tarimba.conversations import context
from tarimba.conversations.context import ContextRead, Question
from tarimba.conversations.neighbour import CustomerHandle
from tarimba.conversations.subject import Subject
from tests.contract.conversations.recorded import ANA, Recorder
from tests.contract.conversations.talks import Talks
from tests.contract.notes.world import World

Read = Callable[..., ContextRead]


@pytest.fixture
def talks(world: World) -> Talks:
    return Talks(world)


@pytest.fixture
def files_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows alone are looked at: that a request also waits for the files is proven by test_forgotten_bytes.py."""
    monkeypatch.setattr("tarimba.storage.files.clean", lambda *_: None)


@pytest.fixture
def recorder(world: World) -> Recorder:
    return Recorder(world.kernel, world.space_id)


@pytest.fixture
def read(world: World) -> Read:
    """Reads a context as an agent: of `customer` and in a conversation or task, if they are given."""

    def read_it(
        who: str = "billing",
        customer: CustomerHandle | None = ANA,
        subject: dict[str, Any] | None = None,
        **asked: Any,
    ) -> ContextRead:
        about = Subject(handle=customer, **(subject or {}))
        return context.read(world.kernel, world.caller(who), Question(about, **asked))

    return read_it
