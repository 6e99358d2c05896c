"""Files written to break parsers, and real ones: each has a verdict, and the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tarimba.skills.folders import found_in
from tarimba.skills.format import read, write
from tests.unit.skills.samples import Case, Public, cases, corpus

FILES = [case for case in cases() if case.symlink is None]
LINKED = [case for case in cases() if case.symlink is not None]


def test_all_of_them_are_there() -> None:
    assert (len(FILES), len(LINKED), len(corpus())) == (64, 1, 237)


@pytest.mark.promise("skills-verdict")
@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.directory[:20]}-{len(case.data)}")
def test_a_file_gets_the_right_verdict_and_values(case: Case) -> None:
    reading = read(case.data, directory=case.directory, file=case.file)
    assert reading.verdict in case.verdicts, reading.problems
    assert reading.is_loaded or reading.problems
    if reading.is_loaded:
        assert case.name in {None, reading.name}
        assert case.description in {None, reading.description}


@pytest.mark.promise("skills-verdict")
@pytest.mark.parametrize("case", LINKED, ids=lambda case: case.directory)
def test_a_directory_that_is_a_link_out_of_the_root_is_quarantined(case: Case, tmp_path: Path) -> None:
    assert case.symlink is not None
    root = tmp_path / "root"
    root.mkdir()
    target = (root / case.symlink).resolve()
    target.mkdir(parents=True)
    (target / case.file).write_bytes(case.data)
    (root / case.directory).symlink_to(case.symlink)
    (found,) = found_in(root)
    assert found.reading.verdict in case.verdicts
    assert [problem.rule for problem in found.reading.problems] == ["outside"]


@pytest.mark.promise("skills-verdict")
@pytest.mark.parametrize("public", corpus(), ids=lambda public: public.path)
def test_a_public_file_has_a_verdict_and_is_read_back_from_its_canonical_form(public: Public) -> None:
    reading = read(public.data, directory=public.directory)
    assert reading.is_loaded or reading.problems
    if reading.is_loaded:
        again = read(write(reading.name, reading.description, reading.body), directory=reading.name)
        assert (again.name, again.description, again.body) == (
            reading.name,
            reading.description,
            reading.body,
        )
        assert again.verdict == "ok"
