"""A key that reads too often is told so, and nothing is written of it."""

import pytest

from tests.contract.blocks.test_endpoint import Reader
from tests.contract.notes.world import World


@pytest.mark.promise("read-pace")
def test_reads_over_the_pace_are_refused_without_a_receipt(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(world)
    monkeypatch.setattr(reader.world.kernel.callers, "_interval", 1.0)
    monkeypatch.setattr(reader.world.kernel.callers, "_clock", lambda: 1000.0)
    answers = [reader.get() for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert (answers[-1].json()["code"], answers[-1].headers["retry-after"]) == ("rate_limited", "1")
    assert len(reader.world.receipts("block.read")) == 3
    assert reader.get("support").status_code == 200
