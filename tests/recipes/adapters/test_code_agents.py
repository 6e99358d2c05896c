"""What agents that write code do with the notes: their tools are functions, and their models may be anyone's."""

from __future__ import annotations

import pytest

from tests.recipes.adapters import scene
from tests.recipes.adapters.scene import CUSTOMERS, INSTRUCTIONS, Server
from tests.recipes.adapters.test_adapters import NOTES, keys

pytestmark = [pytest.mark.nightly, pytest.mark.promise("adapters")]
__all__ = ["keys"]


def test_a_code_agent_of_smolagents_reads_the_notes_and_looks_into_them(keys: dict[str, Server]) -> None:
    answers = scene.run("smolagents", keys["reads"], program="agent_code.py").answers
    for answer, customer in zip(answers, CUSTOMERS, strict=True):
        found, _, read = answer.partition("\n")
        assert "post_credit" in found
        assert read.index(INSTRUCTIONS) < read.index(NOTES) < read.index(customer)
        assert read.count(NOTES) == 1
