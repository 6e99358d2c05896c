"""The documents that come with the package: alike in each language, and true of the harness that gets them."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from tarimba.harnesses.service import Profile, profile, shipped
from tarimba.skills.format import read, write
from tarimba.skills.model import RESERVED, Language
from tarimba.skills.shipped import LANGUAGES, NAMES, documents, skills, standing_rules

pytestmark = pytest.mark.promise("shipped-documents")

HARNESSES = shipped()
RULES = ("memory/CONTEXT_RECOVERY.md", "memory/FILE_DELIVERY.md")
ROUTING = "memory/MEMORY_ROUTING.md"
GRAPH_TOOLS = ("search_nodes", "create_entities", "add_observations", "create_relations")
HEADING = re.compile(r"^(#+) ", re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
# A word of a graph in the three languages, but not of a paragraph.
GRAPH = re.compile(r"\b(graph|grafo)s?\b", re.IGNORECASE)


def texts(of: Profile, language: Language, *, has_graph: bool = False) -> dict[str, str]:
    tools = [f"mcp_memory_{name}" for name in GRAPH_TOOLS] if has_graph else []
    found = documents(of, language, has_graph=has_graph, tools=tools)
    assert [one.path for one in found] == sorted(one.path for one in found)
    return {one.path: one.data.decode() for one in found}


def every() -> Iterator[tuple[Profile, Language, str, str]]:
    for name in HARNESSES:
        for language in LANGUAGES:
            for has_graph in (False, True):
                for path, text in texts(profile(name), language, has_graph=has_graph).items():
                    yield profile(name), language, path, text


def layout(of: Profile) -> set[str]:
    """What there is in a workspace, and is told by a document."""
    files = {"AGENT.md", "SOUL.md", "memory/MEMORY.md", "memory/MEMORY_CUSTOM.md", *RULES, ROUTING}
    places = {"", "public", "sessions/durable", ".shared/tenant", ".shared/subscription"}
    if of.secrets == "files":
        places.add(".secrets")
    roots = {of.own_root, of.shared_root}
    return files | places | roots | {f"{root}/<name>/SKILL.md" for root in roots}


@pytest.mark.parametrize("harness", HARNESSES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_who_gets_which(harness: str, language: Language) -> None:
    of = profile(harness)
    own = {"ganglion-workspace"} if harness == "ganglion" else set()
    wanted = {f"{of.shared_root}/{name}/SKILL.md" for name in {"shared-content", "skill-creator", *own}}
    assert set(texts(of, language)) == {*wanted, *RULES}
    assert set(texts(of, language, has_graph=True)) == {*wanted, *RULES, ROUTING}
    held = skills(of, language)
    assert {f"{of.shared_root}/{name}/SKILL.md" for name in held} == wanted
    assert held.keys() <= NAMES
    assert RESERVED <= NAMES


def test_each_skill_is_in_the_canonical_form_without_a_remark() -> None:
    for of, language, path, text in every():
        if path.startswith("memory/"):
            continue
        name = PurePosixPath(path).parent.name
        reading = read(text.encode(), directory=name, language=language)
        assert (reading.verdict, reading.name, reading.problems) == ("ok", name, ()), (of.name, path)
        assert write(name, reading.description, reading.body) == text.encode()
        assert len(reading.description.encode()) <= 1024


def test_the_three_languages_say_the_same_under_as_many_headings() -> None:
    for name in HARNESSES:
        for has_graph in (False, True):
            told = [texts(profile(name), language, has_graph=has_graph) for language in LANGUAGES]
            assert told[0].keys() == told[1].keys() == told[2].keys()
            for path in told[0]:
                each = [text[path] for text in told]
                assert len({tuple(HEADING.findall(text)) for text in each}) == 1, path
                assert len({tuple(sorted(SPAN.findall(text))) for text in each}) == 1, path
                assert len({text.count("\n") for text in each}) == 1, path
                assert len(set(each)) == len(LANGUAGES), path


def test_every_path_that_is_named_is_in_the_layout() -> None:
    for of, _, path, text in every():
        paths = [span for span in SPAN.findall(text) if span.startswith(of.mount)]
        told = {span.removeprefix(of.mount).strip("/") for span in paths}
        assert told <= layout(of), (of.name, path, told - layout(of))
        assert told or path.endswith(RULES), (of.name, path)


def test_nobody_reads_of_what_it_does_not_have() -> None:
    for of, language, path, text in every():
        assert not re.search(r"\{\??[a-z_:]+\}", text), (of.name, language, path)
        has_secrets = ".secrets" in text and not path.endswith("ganglion-workspace/SKILL.md")
        assert not (has_secrets and of.secrets != "files"), (of.name, path)
        if of.name != "ganglion":
            assert "ganglion" not in text, (of.name, path)
    for name in HARNESSES:
        for language in LANGUAGES:
            for path, text in texts(profile(name), language).items():
                assert not GRAPH.search(text), (name, path)
                assert "MEMORY_ROUTING" not in text, (name, path)


def test_no_skill_leans_on_the_rules_for_memory_that_nothing_writes_there_yet() -> None:
    for of, language, path, text in every():
        if not path.startswith("memory/"):
            named = [rule for rule in (*RULES, ROUTING) if rule in text]
            assert not named, (of.name, language, path)


def test_credentials_are_where_the_harness_gets_them() -> None:
    for name in HARNESSES:
        of = profile(name)
        text = texts(of, "en")[f"{of.shared_root}/shared-content/SKILL.md"]
        assert (".secrets/" in text, "environment variables" in text) == (
            of.secrets == "files",
            of.secrets == "environment",
        )


@pytest.mark.parametrize("harness", HARNESSES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_are_named_as_they_are_shown_and_only_when_they_are(harness: str, language: Language) -> None:
    of = profile(harness)

    def named(tools: list[str]) -> set[str]:
        (text,) = (
            one.data.decode()
            for one in documents(of, language, has_graph=True, tools=tools)
            if one.path == ROUTING
        )
        return {span for span in SPAN.findall(text) if any(span.endswith(name) for name in GRAPH_TOOLS)}

    shown = [of.tool_prefix.format(server="memory") + name for name in (*GRAPH_TOOLS, "read_graph")]
    assert named(shown) == set(shown[:-1])
    assert named(shown[:1]) == set(shown[:1])
    assert named([]) == set()


def test_a_document_is_a_page_at_most() -> None:
    for of, language, path, text in every():
        assert len(text) <= 4000, (of.name, language, path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_does_not_read_the_memory_directory_gets_the_rules_in_what_it_reads(language: Language) -> None:
    for name in HARNESSES:
        of = profile(name)
        told = standing_rules(of, language)
        rules = [text for path, text in texts(of, language).items() if path.startswith("memory/")]
        assert told == ("" if of.reads_memory_each_turn else "\n".join(rules)), name
