"""Never wait inside a transaction: one silent model server must not stall the only writer."""

import pytest

from tests.architecture.house import modules
from tests.architecture.waiting import waits

pytestmark = pytest.mark.promise("transactions-never-wait")


def test_nothing_that_takes_a_transaction_waits() -> None:
    found = [f"{name}: {call}" for name, module in modules().items() for call in waits(module.text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "call",
    [
        "kernel.detectors.check(fields)",
        "self._tokenizer.count(line)",
        "httpx.post(url)",
        "argon2.PasswordHasher()",
        "hasher.verify(stored, given)",
        "time.sleep(1)",
        "model_server.check(text)",
    ],
)
def test_a_call_that_waits_is_seen(call: str) -> None:
    assert waits(f"def commit(tx: Tx) -> None:\n    {call}\n")
    assert waits(f"def commit(*, tx: storage.Tx) -> None:\n    step()\ndef step():\n    {call}\n")
    method = "class S:\n    def commit(self, tx: 'Tx'):\n        self.step()\n    def step(self):\n        "
    assert waits(method + call)


@pytest.mark.parametrize(
    "call", ["names.count('x')", "rules.check(note)", "tx.execute(q)", "who.check(scope)"]
)
def test_a_call_that_does_not_wait_is_left_alone(call: str) -> None:
    assert not waits(f"def commit(tx: Tx) -> None:\n    {call}\n")


def test_preparing_and_handing_out_work_may_wait() -> None:
    assert not waits("def prepare(note: Draft) -> int:\n    return tokenizer.count(note.body)\n")
    assert not waits("def write(work: Callable[[Tx], T]) -> T:\n    return detectors.check(1)\n")
