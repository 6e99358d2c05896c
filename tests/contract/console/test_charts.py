"""The charts of the overview: they count what was done, and say it in numbers to who does not see them."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.contract.console.visitor import Office
from tests.e2e.company import MEMORY, NOTE


def one_of(node: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The only element of that kind."""
    (found,) = node.css(selector)
    return found


def numbers(figure: LexborNode) -> list[int]:
    """Those of the table that stands below a chart, oldest day first."""
    return [int(cell.text()) for cell in figure.css("td.number")]


def drawn(figure: LexborNode) -> list[tuple[str, float]]:
    """What each bar says of itself, and how tall it is."""
    return [(one_of(bar, "title").text(), float(bar.attributes["height"] or 0)) for bar in figure.css("rect")]


@pytest.mark.promise("console-charts")
def test_notes_given_out_changes_of_the_block_and_refusals_are_drawn_as_they_were_counted(
    office: Office,
) -> None:
    one = office.enter("owner")
    first = office.api.write(office.company)
    office.api.write(office.company, title="Print receipts again")
    path = f"{MEMORY}/notes/{first['note_id']}"
    office.api.call(office.company, "owner", "PATCH", path, json={"body": "Lock the period first."})
    for _ in range(3):
        office.api.call(office.company, "billing", "GET", f"{MEMORY}/block")
    personal = NOTE | {"body": "Write to somebody.else@mail.example first."}
    assert (
        office.api.call(office.company, "billing", "POST", f"{MEMORY}/notes", json=personal).status_code
        == 422
    )
    page = LexborHTMLParser(one.open("/overview").text)
    delivered, changed = page.css("figure")
    for figure, today in ((delivered, 2 * 3), (changed, 2 + 1)):
        assert numbers(figure) == [0] * 13 + [today]
        bars = drawn(figure)
        assert bars[-1][0].split(": ")[1].strip() == str(today)
        assert [tall for _, tall in bars] == [0.0] * 13 + [110.0]
        (picture,) = figure.css("svg")
        named = one_of(page, f"#{picture.attributes['aria-labelledby']}")
        assert (picture.attributes["role"], named.text()) == ("img", one_of(figure, "caption").text())
    row = one_of(page, "section[aria-labelledby=refused-h] tr")
    assert (one_of(row, "th").text(), one_of(row, "td.number").text()) == ("e-mail", "1")
    assert one_of(row, "[role=meter]").attributes["aria-valuenow"] == "1"
