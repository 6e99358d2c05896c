#!/usr/bin/env python3
"""Tells every locked package's licence, and fails (1) for one that licences.toml does not take."""

from __future__ import annotations

import sys

from locked import Rules, packages


def main() -> int:
    rules = Rules.read()
    shipped = {package.name for package in packages("server")}
    everything = {
        package.name for lock in ("server", "container", "dev", "build") for package in packages(lock)
    }
    for name in sorted(everything):
        print(f"{name}: {rules.licence(name)}{'' if name in shipped else ' (tests and builds)'}")
    problems = [rules.problem(name, is_shipped=name in shipped) for name in sorted(everything)]
    problems += [f"{name} is stated and not locked." for name in sorted(rules.stated.keys() - everything)]
    for problem in filter(None, problems):
        print(problem, file=sys.stderr)
    return int(any(problems))


if __name__ == "__main__":
    sys.exit(main())
