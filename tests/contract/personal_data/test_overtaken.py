"""What the space learns between the check of a note and its commit counts: the note is checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.contract.personal_data.office import (
    NOTES,
    WORDS,
    ListedNames,
    Office,
    at_work,
    with_names,
)
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("checked-with-what-is-known")


@contextmanager
def overtaken(office: Office, act: Callable[[int], object]) -> Iterator[tuple[Office, list[int]]]:
    """The office behind detectors during each of whose checks somebody acts once; and the checks so far."""
    checks: list[int] = []

    def before() -> None:
        if not acting:
            acting.append(True)
            checks.append(len(checks))
            act(checks[-1])
            acting.clear()

    acting: list[bool] = []
    # A single text is looked at in each check: title and body are one word apart.
    names = ListedNames(before=before)
    slow = at_work(office, with_names(office.kernel, names))
    with slow.client:
        yield slow, checks


def test_a_customer_who_is_known_by_then_is_refused(office: Office) -> None:
    def act(check: int) -> None:
        if check == 0:
            office.customer("Otacília Bramante")

    with overtaken(office, act) as (slow, _):
        assert slow.refused("O pedido de Otacília Bramante foi pago.") == ["name"]
    assert office.ask("owner", "GET", NOTES).json()["items"] == []


def test_an_edit_is_overtaken_too(office: Office) -> None:
    note_id = office.kept("O pedido foi pago.")

    def act(check: int) -> None:
        if check == 0:
            office.customer("Otacília Bramante")

    with overtaken(office, act) as (slow, _):
        body = {"body": "O pedido de Otacília Bramante foi pago."}
        answer = slow.ask("agent", "PATCH", f"{NOTES}/{note_id}", body)
        assert_problem(answer, "personal_data_in_agent_memory")
    assert office.status(note_id) == "active"


def test_a_word_that_has_left_by_then_opens_nothing(office: Office) -> None:
    entry_id = office.word("Zuleide Sistemas").json()["entry_id"]

    def act(check: int) -> None:
        # The first look at the body comes after that at the title.
        if check == 1:
            office.ask("owner", "DELETE", f"{WORDS}/{entry_id}")

    with overtaken(office, act) as (slow, _):
        assert slow.refused("Abra em Zuleide Sistemas.") == ["name"]


def test_a_kind_that_may_stand_no_more_by_then_is_refused(office: Office) -> None:
    office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": ["cnpj"]}})

    def act(check: int) -> None:
        if check == 1:
            office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": []}})

    with overtaken(office, act) as (slow, _):
        assert slow.refused("CNPJ 11.222.333/0001-81") == ["cnpj"]


def test_other_changes_of_the_space_cost_no_second_check(office: Office) -> None:
    def act(check: int) -> None:
        office.ask("owner", "PATCH", "settings", {"agent_memory": {"title_max": 200 + check}})

    with overtaken(office, act) as (slow, checks):
        assert slow.refused("O pedido foi pago.") == []
        once = len(checks)
        assert slow.refused("O pedido foi pago.") == []
        assert len(checks) == 2 * once


def test_what_never_rests_is_503_and_stores_nothing(office: Office) -> None:
    def act(check: int) -> None:
        office.word(f"Sistema {check}")

    with overtaken(office, act) as (slow, _):
        before = office.acts("note.create")
        problem = assert_problem(slow.note("O pedido foi pago."), "unavailable")
        assert problem["status"] == 503
    assert office.acts("note.create") == before
    assert office.ask("owner", "GET", NOTES).json()["items"] == []
    assert office.is_sound()
