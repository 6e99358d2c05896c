"""Runs the tests of adapters, each in an environment of its framework, and ends with what passed: scripts/adapters."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence

import pytest
from adapter_list import ROOT, TRIED, frameworks, versions


class Outcomes:
    """What became of the tests of the wanted frameworks; the tests of others are left out."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self.counts = {name: Counter[str]() for name in wanted}
        self._known = frameworks()
        self._tested: dict[str, str] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        tested = {item: self._framework(item) for item in items}
        config.hook.pytest_deselected(items=[one for one in items if tested[one] not in self.counts])
        items[:] = [one for one in items if tested[one] in self.counts]
        self._tested = {one.nodeid: tested[one] for one in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # A test passes once, and can fail before it, in it and after it.
        if report.failed or (report.when == "call" and report.passed):
            self.counts[self._tested[report.nodeid]][report.outcome] += 1

    def _framework(self, item: pytest.Item) -> str:
        """Whose test it is: that of its parameter, or of the framework that its file is named after."""
        parameters = getattr(item, "callspec", None)
        named = (name for name in self._known if item.path.stem.startswith(f"test_{name}"))
        return str((parameters and parameters.params.get("framework")) or next(named, ""))


def main(arguments: Sequence[str]) -> int:
    asked = _asked(arguments)
    if asked.list:
        print("\n".join(f"{name:<17} {_versions(name)}" for name in asked.names))
        return 0
    outcomes = Outcomes(asked.names)
    status = pytest.main(["-q", "-m", "", str(TRIED)], plugins=[outcomes])
    print(_row("framework", "tests", "tried with"))
    print("\n".join(_row(name, _said(counts), _versions(name)) for name, counts in outcomes.counts.items()))
    untested = any(not counts for counts in outcomes.counts.values())
    return int(status) or int(untested)


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    """`names` are the frameworks of this run."""
    parser = argparse.ArgumentParser(
        "scripts/adapters", description="Tries the client's adapters in their frameworks."
    )
    parser.add_argument("--list", action="store_true", help="say what would be tried, with its versions")
    parser.add_argument(
        "--shard", type=_shard, default=(1, 1), metavar="I/N", help="every Nth from the Ith on"
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a folder of tests/recipes/adapters; all by default"
    )
    asked = parser.parse_args(arguments)
    known = frameworks()
    if not set(asked.names) <= set(known):
        parser.error(f"there is an adapter for {', '.join(known)}, and for no other")
    at, of = asked.shard
    asked.names = (sorted(set(asked.names)) or known)[at - 1 :: of]
    return asked


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    at, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= at <= of:
        raise argparse.ArgumentTypeError("a shard is I/N, with I from 1 to N")
    return at, of


def _row(framework: str, tests: str, tried_with: str) -> str:
    return f"{framework:<17} {tests:<20} {tried_with}"


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items())) or "no test"


def _versions(name: str) -> str:
    return ", ".join(f"{package} {version}" for package, version in versions(name))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
