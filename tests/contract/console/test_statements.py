"""How often a page asks the database: as often for a full house as for one of each thing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from tarimba.kernel import Kernel
from tarimba.receipts.index import index
from tests.contract.console.seat import Own
from tests.contract.console.visitor import Office
from tests.contract.console.writing import write_everything
from tests.e2e.console.crawl import walk

# What a page may ask at most, its session and its receipt included.
MOST = 70
# More of each thing than any page looks at one by one, and twice as many.
FEW, MANY = 8, 16
# A proof of a receipt reads as many bundles as the logarithm of the log: fewer than one for each thing more.
SLACK = 4


@contextmanager
def counted(kernel: Kernel) -> Iterator[list[str]]:
    """The statements that are sent to the database meanwhile."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_others: Any) -> None:
        sent.append(statement)

    engines = {kernel.database.read_engine, kernel.database.write_engine}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


def asked(own: Own) -> dict[str, int]:
    """The statements of each page, at its costliest address."""
    found: dict[str, int] = {}
    for role in ("owner", "member"):
        one = own.office.enter(role)
        addresses = [(template, address) for template, address, _ in walk(one)]
        with counted(own.office.api.kernel) as sent:
            for template, address in addresses:
                before = len(sent)
                one.open(address)
                name = f"{role} {template}"
                found[name] = max(found.get(name, 0), len(sent) - before)
    return found


@pytest.mark.promise("console-statements")
def test_no_page_asks_more_often_for_more_rows(office: Office) -> None:
    own = Own(office)
    write_everything(own, tuple(f"text {number}" for number in range(FEW)))
    index(office.api.kernel, office.company.space_id)
    few = asked(own)
    write_everything(own, tuple(f"text {number}" for number in range(FEW, MANY)), first=FEW)
    index(office.api.kernel, office.company.space_id)
    many = asked(own)

    grown = {page: (few[page], count) for page, count in many.items() if count > few[page] + SLACK}
    assert grown == {}
    assert {page: count for page, count in many.items() if count > MOST} == {}
