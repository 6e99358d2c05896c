"""What the Console says of a refusal: in the visitor's language wherever a form can meet it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tarimba
from tarimba.console.sentences import Said, Sentences
from tarimba.console.words import LANGUAGES, Speech, load

ROOT = Path(tarimba.__file__).parent
TEMPLATES = ROOT / "console" / "templates"
# Where a raise stands that no page of the Console reaches: other surfaces, files of the host, what agents send.
ELSEWHERE = (
    "backup/",
    "blocks/query.py",
    "callers.py",
    "cli/",
    "conversations/",
    "distill/",
    "erasure/",
    "evolution/hosting.py",
    "exchange.py",
    "graph/entries.py",
    "graph/importing.py",
    "graph/reading.py",
    "graph/searching.py",
    "graph/turns.py",
    "http/exchange.py",
    "http/metrics.py",
    "http/reading.py",
    "http/streams.py",
    "http/waiting.py",
    "identity/declare.py",
    "identity/hosting.py",
    "identity/manifest.py",
    "identity/service.py",
    "identity/spaces.py",
    "mcp/",
    "personal_data/customer_files.py",
    "proof/cooling.py",
    "proof/tiles.py",
    "proof/witnessing.py",
    "skills/hosting.py",
    "webhooks/hosting.py",
    "workspaces/declaring.py",
    "workspaces/launching.py",
    "workspaces/mount_forms.py",
    "workspaces/prompting.py",
    "workspaces/running/",
    "workspaces/session_",
    "workspaces/sessions.py",
)
# What a request that is no form can break, in modules that forms reach too.
NO_FORM = {
    "Numbers must be finite, whole ones at most x.",
    "Send the body as `Content-Type: application/json`, in UTF-8.",
    "The body is not JSON in UTF-8.",
    "The body must have at most x levels.",
    "The body repeats a name inside one object.",
    "This path takes x.",
    "is not the same in the query and in the body",
    "names a field in something other than UTF-8",
    "observations[x].entityName: x",
    "x breaks more than x rules.",
    # A refusal put together from another: its own sentence is known.
    "x: x",
    "x x",
    "x.",
}


@pytest.fixture(scope="module")
def sentences() -> Sentences:
    return Sentences(load())


def raised() -> Iterator[tuple[str, str]]:
    """Every sentence that is written where it is raised, and where that is; what varies in it is an x."""
    for path in sorted(ROOT.rglob("*.py")):
        place = str(path.relative_to(ROOT))
        if place.startswith(ELSEWHERE):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                at = {"invalid": 1, "Refusal": 1}.get(call.func.id)
                if at is not None and len(call.args) > at:
                    yield from ((said, place) for said in written(call.args[at]))


def written(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from written(node.body)
        yield from written(node.orelse)


@pytest.mark.promise("console-sentences")
def test_every_sentence_that_a_form_can_meet_is_said_in_every_language(sentences: Sentences) -> None:
    other = Speech("pt", sentences.texts)
    missing = [
        (said, place)
        for said, place in raised()
        if said not in NO_FORM and not sentences.knows(said) and sentences.say(other, said).language == "en"
    ]
    assert missing == []


@pytest.mark.promise("console-sentences")
def test_every_field_of_a_form_has_a_label_for_its_refusals(sentences: Sentences) -> None:
    fields = re.compile(r"parts\.(?:field|area|choice)\('([a-z_]+)'")
    named = {name for path in TEMPLATES.glob("*.html") for name in fields.findall(path.read_text("utf-8"))}
    assert len(named) > 10
    assert [name for name in sorted(named) if f"fields.{name}" not in sentences.texts] == []


@pytest.mark.promise("console-sentences")
def test_numbers_and_names_are_kept_and_the_field_has_its_label(sentences: Sentences) -> None:
    detail = "agent_memory.title_max: must be a whole number from 1 to 300."
    portuguese, spanish = (Speech(language, sentences.texts) for language in ("pt", "es"))
    assert sentences.say(portuguese, detail) == Said(
        "Título, em caracteres: precisa ser um número inteiro de 1 a 300.", "pt"
    )
    assert sentences.say(spanish, "title: is longer than allowed (limit 120)") == Said(
        "Título: es más largo de lo permitido (límite 120).", "es"
    )


def test_what_nobody_has_said_in_a_language_stays_english_and_says_so(sentences: Sentences) -> None:
    detail = "Something that no rule says."
    for language in LANGUAGES:
        assert sentences.say(Speech(language, sentences.texts), detail) == Said(detail, "en")


def test_what_is_said_differs_by_language_and_keeps_every_place(sentences: Sentences) -> None:
    holes = re.compile(r"\{\w+\}")
    for key, texts in sentences.texts.items():
        if key.startswith("sentences."):
            known = set(holes.findall(texts["en"]))
            assert all(set(holes.findall(said)) <= known for said in texts.values()), key
