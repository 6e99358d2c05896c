"""A SKILL.md reads back as it was written, by us and by a parser of YAML."""

from __future__ import annotations

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from tarimba.evolution import drafting, rules, skill_file
from tarimba.evolution.model import Skill
from tarimba.skills.model import DESCRIPTION_MAX
from tests.unit.evolution.test_rules import NAMES

LINES = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Co", "Cn")), max_size=60)


def by_yaml(content: str) -> dict[str, str]:
    frontmatter = content.split("---\n")[1]
    loaded: dict[str, str] = yaml.safe_load(frontmatter)
    return loaded


@given(NAMES, LINES, LINES)
def test_what_passes_the_gate_reads_back(name: str, description: str, body: str) -> None:
    made = rules.gated(Skill(name, description, body))
    if isinstance(made, Skill):
        content = skill_file.written(made)
        assert skill_file.read(content) == made
        assert by_yaml(content) == {"name": made.name, "description": made.description}


@pytest.mark.parametrize(
    "name", ["yes", "no", "on", "off", "true", "null", "y", "12", "1e3", "0x1f", "2026-01-01", "12-30"]
)
@pytest.mark.parametrize(
    "description",
    [
        "a: b",
        "# no comment",
        "- item",
        "{x}",
        "[x]",
        "*x",
        "&x",
        "!x",
        "%x",
        "@x",
        "'x'",
        '"x"',
        "---",
        "\\n",
    ],
)
def test_no_value_is_read_as_anything_but_that_string(name: str, description: str) -> None:
    content = skill_file.written(Skill(name, description, "1. Step"))
    assert by_yaml(content) == {"name": name, "description": description}
    assert skill_file.read(content) == Skill(name, description, "1. Step")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no frontmatter",
        '---\nname: a\ndescription: "b"\n---\n\n\n',
        '---\nname: a\ndescription: "b"\nlicense: x\n---\n\nc\n',
        '---\nname: a\nname: b\ndescription: "b"\n---\n\nc\n',
        "---\nname: yes\ndescription: b\n---\n\nc\n",
        '---\nname: "a\ndescription: "b"\n---\n\nc\n',
        "---\nname: a\ndescription: 5\n---\n\nc\n",
    ],
)
def test_any_other_file_is_none(content: str) -> None:
    assert skill_file.read(content) is None


@given(
    st.lists(st.text(max_size=600), min_size=1, max_size=300),
    st.sampled_from(["pt", "en", "es"]),
)
def test_whatever_was_done_the_writer_makes_a_file_or_the_gate_says_why(
    did: list[str], language: str
) -> None:
    operations = rules.folded(did)
    skill = drafting.skill_of(operations, 3, 2, language)
    assert rules.is_name(skill.name)
    assert len(skill.description) <= DESCRIPTION_MAX
    assert len(skill.body) <= rules.BODY_MAX
    assert rules.names_only(skill, operations)
