"""The page that names the figures, and the figures that there are: the same."""

import re

import pytest

from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tests.architecture.house import ROOT

ROW = re.compile(r"^\| `(?P<name>tarimba_\w+)` \|", re.MULTILINE)
PAGE = ROOT / "docs" / "how-to" / "observe.md"


@pytest.mark.promise("metrics-counted")
def test_every_figure_is_documented(kernel: Kernel) -> None:
    # The server of names is one that is not asked: its figure is there as soon as it is named.
    settings = kernel.settings.model_copy(update={"detectors_url": "http://127.0.0.1:1"})
    kernel.writer.stop()
    with open_kernel(settings) as named:
        found = {family.name for family in named.telemetry.metrics.registry.collect()}
    ours = {name for name in found if name.startswith("tarimba_")}
    assert {row["name"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))} == ours
