"""Every example that a document marks as runnable runs, and prints what the document says."""

from pathlib import Path

import pytest

from tests.docs import examples
from tests.docs.markdown import Fence, documents, fences, name

WITH_EXAMPLES = [path for path in documents() if examples.script_of(path).steps]
# A fence is an example, or one of these for a reason: it shows a form, or needs what a test has not.
SHOWN_ONLY = frozenset({"text", "toml", "json", "http", "ini"})


@pytest.mark.promise("examples-run")
@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name)
def test_the_examples_of_a_document_run(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    script = examples.script_of(path)
    needs_database = examples.DATABASE in script.text()
    database = request.getfixturevalue("postgres_url") if needs_database else ""
    examples.run(script, tmp_path, database)


def test_code_that_does_not_run_says_so() -> None:
    unmarked = [
        f"{name(path)}: {fence.text.splitlines()[0]}"
        for path in documents()
        for fence in fences(path)
        if fence.language not in SHOWN_ONLY and len(fence.words) < 2
    ]
    assert not unmarked, "\n".join(unmarked)


def test_an_example_that_fails_or_prints_something_else_is_seen(tmp_path: Path) -> None:
    failing, lying = examples.Script(), examples.Script()
    failing.add(Fence(("sh", "run"), "false\n"))
    lying.add(Fence(("sh", "run"), "echo seen\n"))
    lying.add(Fence(("text", "shows"), "unseen\n"))
    with pytest.raises(AssertionError):
        examples.run(failing, tmp_path, "")
    with pytest.raises(AssertionError, match="unseen"):
        examples.run(lying, tmp_path, "")


def test_examples_share_one_shell_with_files_and_python(tmp_path: Path) -> None:
    script = examples.Script()
    script.add(Fence(("toml", "file=a.toml"), "x = 1\n"))
    script.add(Fence(("sh", "run"), "export SEEN=$(cat a.toml)\n"))
    script.add(Fence(("python", "run"), "import os\nprint(os.environ['SEEN'], 2)\n"))
    script.add(Fence(("text", "shows"), "x = ... 2\n"))
    examples.run(script, tmp_path, "")
