"""Links lead somewhere, every page is found from the index, the README is one in two languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.house import ROOT
from tests.docs.markdown import anchors, documents, fences, headings, links, name


@pytest.mark.promise("links-lead")
def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = [
        f"{name(path)}: {target}"
        for path in documents()
        for target in links(path)
        if not _leads(path, target)
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.promise("links-lead")
def test_every_page_is_found_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    seen, todo = set(), [index]
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            todo += [target for target in _pages(page) if target.is_relative_to(ROOT / "docs")]
    assert [name(path) for path in (ROOT / "docs").rglob("*.md") if path not in seen] == []


@pytest.mark.promise("readme-twins")
def test_the_readme_has_the_same_sections_and_examples_in_both_languages() -> None:
    english, portuguese = ROOT / "README.md", ROOT / "README.pt-BR.md"
    assert [level for level, _ in headings(english)] == [level for level, _ in headings(portuguese)]
    assert [fence.words for fence in fences(english)] == [fence.words for fence in fences(portuguese)]
    assert _twinned(links(english)) == _twinned(links(portuguese))


def _leads(path: Path, target: str) -> bool:
    file, _, anchor = target.partition("#")
    page = (path.parent / file).resolve() if file else path
    return page.exists() and (not anchor or anchor in anchors(page))


def _pages(path: Path) -> Iterator[Path]:
    for target in links(path):
        file = target.partition("#")[0]
        if file.endswith(".md"):
            yield (path.parent / file).resolve()


def _twinned(targets: Iterator[str]) -> list[str]:
    return ["README" if target.startswith("README") else target for target in targets]
