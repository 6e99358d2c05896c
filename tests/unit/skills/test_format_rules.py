"""Each rule of the format: the verdict, the line, and what is read all the same."""

from __future__ import annotations

import pytest

from tarimba.errors import Refusal
from tarimba.skills.format import checked_name, is_legal, other_keys, read, slug, strict_slug
from tarimba.skills.model import FILE_BYTES_MAX
from tarimba.skills.report import QUARANTINED, REPAIRED, WARNED, WORDS

LONG = " ".join(["words"] * 300)
# file, rule, line, verdict, name, description
TABLE = [
    ("name: a\ndescription: x", None, 0, "ok", "a", "x"),
    ("name: a\ndescription: >\n  x\n\n  y\n", None, 0, "ok", "a", "x y"),
    ("name: a\ndescription: |2+ # why\n    x\n  y", None, 0, "ok", "a", "x y"),
    ("name: a\ndescription:\n  x\n  y", None, 0, "ok", "a", "x y"),
    ('name: "a"\ndescription: "x\\n  \\u00e9 \\\n  y" # why', None, 0, "ok", "a", "x é y"),
    ('"name": a\n\'description\': x', None, 0, "ok", "a", "x"),
    ("  name: a\n  description: x", None, 0, "ok", "a", "x"),
    ("# why\nname: a\n\n# why\ndescription: x", None, 0, "ok", "a", "x"),
    ('{"description": "x: {y}, #1",\n "name": "a"}', None, 0, "ok", "a", "x: {y}, #1"),
    ("{name: a, description: 'x, y', k: [1, {name: b}]}", None, 0, "ok", "a", "x, y"),
    ('name: a\ndescription: "\\ud83d\\ude00"', None, 0, "ok", "a", "😀"),
    ("name: a\ndescription: x\nmetadata:\n  name: b\n  description: y", None, 0, "ok", "a", "x"),
    ('name: a\ndescription: x\nnote: "one\nname: b\ntwo"', None, 0, "ok", "a", "x"),
    ('name: a\ndescription: x\nmetadata: {\n"name": "b"\n}', None, 0, "ok", "a", "x"),
    ("name: a\ndescription: x\nglobs: **/*.ts\nnote: AT&T *b* c", None, 0, "ok", "a", "x"),
    ("name: a\ndescription: x\nnote: |\n  k: &v w\n  - *v", None, 0, "ok", "a", "x"),
    ('name: a\ndescription: x\nk: ["&v w", "*v"]', None, 0, "ok", "a", "x"),
    ("name: a\ndescription: x\nallowed-tools:\n- Bash\n- Read", None, 0, "ok", "a", "x"),
    ("name: a\ndescription: x y: z", "colon", 3, "repaired", "a", "x y: z"),
    ("name: a\ndescription: x #1", "hash", 3, "repaired", "a", "x #1"),
    ("name: a # why\ndescription: x", "comment", 2, "repaired", "a", "x"),
    ("name: a\ndescription: [x] y", "yaml-sign", 3, "repaired", "a", "[x] y"),
    ("name: a\ndescription: {{x}} y", "yaml-sign", 3, "repaired", "a", "{{x}} y"),
    ("name: a\ndescription: - x", "yaml-sign", 3, "repaired", "a", "- x"),
    ("name: a\ndescription: & x", "yaml-sign", 3, "repaired", "a", "& x"),
    ('name: a\ndescription: "x" and "y"', "quote", 3, "repaired", "a", '"x" and "y"'),
    ("name: a\ndescription: 'don't'", "quote", 3, "repaired", "a", "'don't'"),
    ('name: a\ndescription: "x', "quote", 3, "repaired", "a", '"x'),
    ('name: a\ndescription: "C:\\dir"', "escape", 3, "repaired", "a", "C:\\dir"),
    ("name: a\ndescription: yes", "typed", 3, "repaired", "a", "yes"),
    ("name: 1.10\ndescription: x", "typed", 2, "repaired", "1.10", "x"),
    ("name:a\ndescription:x", "missing-space", 3, "repaired", "a", "x"),
    ("name: a\ndescription: x\nstray", "stray-line", 4, "repaired", "a", "x"),
    ("name: a\ndescription: x\nk:\n\tv: w", "tab-indent", 5, "repaired", "a", "x"),
    ("name: a\ndescription: x\x07y", "unprintable", 3, "repaired", "a", "xy"),
    ("description: x", "name-missing", 2, "repaired", "a", "x"),
    ("name: ~\ndescription: x", "name-missing", 2, "repaired", "a", "x"),
    ("name: ' Á '\ndescription: x", "name-slug", 2, "repaired", "a", "x"),
    ("name: b\ndescription: x", "name-directory", 2, "repaired", "b", "x"),
    (f"name: a\ndescription: {LONG}", "description-long", 3, "repaired", "a", LONG[:1019]),
    ("name: a_b\ndescription: x", "name-style", 2, "repaired", "a_b", "x"),
    ("name: a", "description-missing", 1, "quarantined", "a", ""),
    ("name: a\ndescription:", "description-empty", 3, "quarantined", "a", ""),
    ("name: a\ndescription: >\n", "description-empty", 3, "quarantined", "a", ""),
    ("name: a\ndescription: ~", "description-kind", 3, "quarantined", "a", ""),
    ("name: a\ndescription: [x, y] # why", "description-kind", 3, "quarantined", "a", ""),
    ("name: a\ndescription: {x: y}", "description-kind", 3, "quarantined", "a", ""),
    ("name: a\ndescription:\n- x", "description-kind", 3, "quarantined", "a", ""),
    ("name: a\ndescription:\n  en: x\n  pt: y", "description-kind", 3, "quarantined", "a", ""),
    ("name: [a]\ndescription: x", "name-kind", 2, "quarantined", "", "x"),
    ("name: a\ndescription: x\nname: b", "repeated-key", 4, "quarantined", "a", "x"),
    ('{"name": "a", "description": "x",\n"name": "b"}', "repeated-key", 2, "quarantined", "a", "x"),
    ("name: &v a\ndescription: x", "anchor", 2, "quarantined", "", "x"),
    ("name: a\ndescription: *v", "anchor", 3, "quarantined", "a", ""),
    ("name: a\ndescription: x\nk:\n  - &v w", "anchor", 4, "quarantined", "a", "x"),
    ("name: a\ndescription: x\n<<: *v", "anchor", 4, "quarantined", "a", "x"),
    ("name: a\ndescription: x\nk: {l: [&v w]}", "anchor", 4, "quarantined", "a", "x"),
    ("name: 技能a\ndescription: x", "name-unsavable", 2, "quarantined", "", "x"),
    ('name: a\ndescription: "x\\0y"', "nul", 3, "quarantined", "a", "xy"),
]  # fmt: skip
WHOLE = [
    (b"", "no-opening-fence", 1),
    (b"name: a\n", "no-opening-fence", 1),
    (b"---\nname: a\ndescription: x\n --- \n", "no-closing-fence", 1),
    (b"---\nname: a\xff\n", "encoding", 2),
    (b"---\nname: a\n\0", "nul", 3),
    (b" " * (FILE_BYTES_MAX + 1), "file-too-large", 0),
]


@pytest.mark.promise("skills-verdict")
@pytest.mark.parametrize(("head", "rule", "line", "verdict", "name", "description"), TABLE)
def test_a_rule(head: str, rule: str | None, line: int, verdict: str, name: str, description: str) -> None:
    reading = read(f"---\n{head}\n---\nbody\n".encode(), directory="a")
    told = {problem.rule: problem.line for problem in reading.problems}
    assert (reading.verdict, reading.name, reading.description) == (verdict, name, description), told
    assert reading.body == "body\n"
    assert told.get(rule or "") == (line if rule else None), told
    assert rule is not None or not told


@pytest.mark.promise("skills-verdict")
@pytest.mark.parametrize(("data", "rule", "line"), WHOLE, ids=[row[1] for row in WHOLE])
def test_a_file_without_a_frontmatter_that_can_be_read(data: bytes, rule: str, line: int) -> None:
    reading = read(data, directory="a")
    assert reading.verdict == "quarantined"
    assert (rule, line) in [(problem.rule, problem.line) for problem in reading.problems]


def test_a_warning_alone_leaves_a_file_as_it_is() -> None:
    reading = read(b"---\nname: a_b\ndescription: x\n---\n", directory="a_b")
    assert reading.verdict == "ok"
    (problem,) = reading.problems
    assert "picoclaw" in problem.message
    assert "a-b" in problem.fix


def test_problems_of_one_rule_are_told_twenty_times() -> None:
    reading = read(b"---\nname: a\ndescription: x\n" + b"stray\n" * 500 + b"---\n", directory="a")
    assert [problem.line for problem in reading.problems] == list(range(4, 24))


def test_every_rule_says_what_and_how_in_three_languages() -> None:
    rules = QUARANTINED | REPAIRED | WARNED
    for words in WORDS.values():
        assert words.keys() == rules
        assert all(message and fix for message, fix in words.values())
    portuguese = read(b"", directory="a", language="pt").problems[0]
    assert portuguese.message == WORDS["pt"]["no-opening-fence"][0]


def test_the_keys_that_a_canonical_file_leaves_out_are_named() -> None:
    head = b"---\nname: a\nlicense: MIT\ndescription: x\nmetadata:\n  k: v\nlicense: MIT\n---\n"
    assert other_keys(head) == ("license", "metadata")
    assert other_keys(b"no frontmatter") == ()


@pytest.mark.parametrize("name", ["a", "9", "a.b", "a_b", "a--b", "a-", "a" * 64])
def test_a_name_that_is_taken(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "A", "-a", ".a", "a.", "a..b", "a/b", "a b", "é", "a\n", "a" * 65, "shared-content", "a\0"]
)
def test_a_name_that_is_refused(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked_name(name)
    assert refused.value.code == "invalid_input"
    assert not name.strip("a.") or name not in refused.value.detail


@pytest.mark.parametrize(
    ("name", "near", "everywhere"),
    [
        ("PDF Tools", "pdf-tools", "pdf-tools"),
        ("  Relatório ", "relatorio", "relatorio"),
        ("-lead", "lead", "lead"),
        ("a..b.", "a.b", "a-b"),
        ("vendor:deploy", "vendor-deploy", "vendor-deploy"),
        ("Tools (beta)", "tools-beta", "tools-beta"),
        ("Straße", "strasse", "strasse"),
        ("trail-", "trail-", "trail"),
        ("技能", None, ""),
        ("技能a", None, "a"),
        ("...", None, ""),
        ("a" * 65, None, "a" * 65),
    ],
)
def test_the_nearest_name(name: str, near: str | None, everywhere: str) -> None:
    assert slug(name) == near
    assert near is None or is_legal(near)
    assert strict_slug(name) == everywhere
