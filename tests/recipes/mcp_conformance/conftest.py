"""The locked conformance program, under the locked Node."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recipes.npm import node


@pytest.fixture(scope="module")
def command() -> list[str]:
    """What runs the program; arguments follow."""
    program, modules = node(Path(__file__).parent)
    return [program, str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")]
