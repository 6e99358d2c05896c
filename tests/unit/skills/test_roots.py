"""Which copy of a name is opened, when administrators and the agent both have one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.skills.model import Verdict
from tarimba.skills.roots import OwnSkill, Settled, settle

NAMES = st.sampled_from(["a", "b", "c", "d"])


def skill(directory: str, name: str | None = None, verdict: Verdict = "ok") -> OwnSkill:
    return OwnSkill(directory, name or directory, "Use when it is needed.", verdict, f"own-{directory}", 10)


@pytest.mark.promise("administrators-win")
def test_the_administrators_copy_wins_by_its_declared_name() -> None:
    found = settle({"refund": "shared"}, [skill("refund"), skill("hidden", "refund"), skill("letter")])
    assert [one.name for one in found.opened] == ["letter"]
    assert [(one.skill.directory, one.by) for one in found.shadowed] == [
        ("hidden", "shared"),
        ("refund", "shared"),
    ]


def test_of_two_own_ones_the_directory_of_that_name_is_opened_else_the_first() -> None:
    found = settle({}, [skill("a", "z"), skill("z"), skill("m", "n"), skill("k", "n")])
    assert [(one.name, one.directory) for one in found.opened] == [("n", "k"), ("z", "z")]
    assert [(one.skill.directory, one.by) for one in found.shadowed] == [("m", "own-k"), ("a", "own-z")]


def test_what_cannot_be_loaded_hides_nothing() -> None:
    found = settle({}, [skill("a", verdict="quarantined"), skill("b", "a", "repaired")])
    assert [one.directory for one in found.opened] == ["b"]
    assert [one.directory for one in found.quarantined] == ["a"]
    assert not found.shadowed


@given(
    st.sets(NAMES),
    st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["ok", "quarantined"])), unique_by=lambda t: t[0]),
)
def test_each_skill_has_one_fate_and_no_name_is_opened_twice(
    shared: set[str], own: list[tuple[str, str, Verdict]]
) -> None:
    skills = [skill(*one) for one in own]
    found = settle(dict.fromkeys(shared, "s"), skills)
    fates = [*found.opened, *(one.skill for one in found.shadowed), *found.quarantined]
    assert sorted(one.directory for one in fates) == sorted(one.directory for one in skills)
    opened = [one.name for one in found.opened]
    assert len(set(opened)) == len(opened)
    assert not set(opened) & shared
    assert found == settle(dict.fromkeys(shared, "s"), reversed(skills))
    assert isinstance(found, Settled)
