"""What masks go by: detectors of this or another process, known customers, the vocabulary; and nothing unmasked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pytest

from tarimba.conversations import recording
from tarimba.errors import Refusal
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.known_customers import Customer, add
from tarimba.personal_data.model import Finding, Strictness, Told
from tarimba.personal_data.vocabulary import NewTerm
from tarimba.personal_data.vocabulary import add as add_term
from tarimba.storage.tables import conversation, turn
from tests.contract.conversations.talks import WHATSAPP, Talks, action, event
from tests.contract.notes.world import World

NAME = "Zuleide Quaresma"


@dataclass
class Elsewhere:
    """Detectors of another process, which find one name."""

    is_well: bool = True
    asked: list[Sequence[str]] = field(default_factory=list)
    version: str = "1"
    left: int | None = None
    watch: Callable[[], object] = int

    def find(self, texts: Sequence[str], _language: str, _strictness: Strictness, /) -> Told:
        self.asked.append(texts)
        self.watch()
        if not self.is_well or self.left == 0:
            raise Refusal("detectors_unavailable", "No answer.", retry_after=1)
        self.left = None if self.left is None else self.left - 1
        found = {
            text: [Finding("name", text.index(NAME), text.index(NAME) + len(NAME), "model_server")]
            for text in texts
            if NAME in text
        }
        return Told(MappingProxyType(found), self.version)

    def close(self) -> None: ...


@pytest.fixture
def elsewhere(world: World) -> Elsewhere:
    remote = Elsewhere()
    world.kernel = replace(world.kernel, detectors=Detectors.local(model=False).beside(remote))
    return remote


@pytest.fixture
def distant(world: World, elsewhere: Elsewhere) -> Talks:
    return Talks(world)


@pytest.mark.promise("names-fail-closed")
def test_detectors_that_are_silent_store_nothing(distant: Talks, elsewhere: Elsewhere) -> None:
    elsewhere.is_well = False
    before = len(distant.world.receipts())
    answer = distant.send(*[event(f"turn {at}") for at in range(150)])
    assert (answer.status_code, answer.json()["code"]) == (503, "detectors_unavailable")
    assert answer.headers["retry-after"] == "1"
    assert not distant.rows(turn)
    assert not distant.rows(conversation)
    assert len(distant.world.receipts()) == before
    elsewhere.is_well = True
    assert distant.sent(event("turn"))["accepted"] == 1


@pytest.mark.promise("names-fail-closed")
def test_detectors_that_fall_silent_keep_the_parts_before(
    distant: Talks, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "PART_ITEMS", 2)
    sent = [event(f"turn {at} of {NAME}") for at in range(5)]
    elsewhere.left = 1
    answer = distant.send(*sent)
    assert (answer.status_code, answer.json()["code"]) == (503, "detectors_unavailable")
    assert distant.texts() == ["turn 0 of [name]", "turn 1 of [name]"]
    elsewhere.left = None
    elsewhere.asked.clear()
    assert distant.sent(*sent) == {"accepted": 3, "duplicates": 2, "masked": {"name": 3}}
    # What is there already is not looked at again, so that sending again goes on where it was.
    assert [len(texts) for texts in elsewhere.asked] == [2, 1]
    assert distant.texts() == [f"turn {at} of [name]" for at in range(5)]


def test_a_part_is_stored_before_the_next_is_masked(
    distant: Talks, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "PART_CHARACTERS", 50)
    stored: list[int] = []
    elsewhere.watch = lambda: stored.append(len(distant.rows(turn)))
    distant.sent(*(event("x" * 20) for _ in range(6)))
    assert stored == [0, 2, 4]


def test_a_batch_has_a_limit_of_characters(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "CHARACTERS_MAX", 20)
    assert talks.sent(event("x" * 10), event("y" * 10))["accepted"] == 2
    answer = talks.send(event("x" * 10), action("credit", action={"result": "y" * 11}))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert answer.json()["detail"] == "The texts of a batch must have at most 20 characters."
    assert len(talks.rows(turn)) == 2


def test_a_batch_is_one_question_to_another_process(distant: Talks, elsewhere: Elsewhere) -> None:
    done = distant.sent(*[event(f"turn {at} of {NAME}") for at in range(100)])
    assert done["masked"] == {"name": 100}
    assert [len(texts) for texts in elsewhere.asked] == [100]
    assert distant.texts()[7] == "turn 7 of [name]"


def test_a_long_text_is_asked_about_in_windows(distant: Talks, elsewhere: Elsewhere) -> None:
    whole = "a " * 9_900 + NAME + " b" * 20_000 + f" {NAME}"
    distant.sent(event(whole))
    assert len(elsewhere.asked) > 2
    assert max(sum(map(len, texts)) for texts in elsewhere.asked) <= 20_000
    (text,) = distant.texts()
    assert text == whole.replace(NAME, "[name]")


@pytest.mark.promise("turns-masked")
def test_a_known_customer_is_masked_whatever_detectors_think(talks: Talks) -> None:
    customers = [Customer("Otacília da Rocha Bramante", (("passport", "ZX1928374"),))]
    add(talks.world.kernel, talks.world.caller("owner"), customers)
    talks.sent(
        event("agenda para otacilia rocha bramante e mais"),
        action(action={"result": "code ZX-1928374", "purpose": "OTACÍLIA ROCHA BRAMANTE"}),
        event("x", conversation_id="c-otacilia-rocha-bramante", channel="otacilia.rocha.bramante"),
    )
    assert "otac" not in repr(talks.rows(turn)).lower()
    assert "1928374" not in repr(talks.rows(turn))
    assert talks.texts()[0] == "agenda para [name] e mais"
    (named,) = [row for row in talks.rows(conversation) if row.caller_id != "c-1"]
    assert named.caller_id.startswith("conv_")
    assert talks.rows(turn)[2].channel == ""


def test_a_word_of_the_vocabulary_stays(talks: Talks) -> None:
    text = "Fale com Beatriz Soares no portal"
    talks.sent(event(text))
    assert talks.texts() == ["Fale com [name] no portal"]
    term = NewTerm("Beatriz Soares", "system_name", confirmed=True)
    add_term(talks.world.kernel, talks.world.caller("owner"), term)
    talks.sent(event(text))
    assert talks.texts()[1] == text


def test_what_notes_may_name_is_masked_all_the_same(talks: Talks) -> None:
    talks.setting("personal_data.allow", value=["cnpj"])
    talks.sent(event("CNPJ 11.222.333/0001-81"))
    assert talks.texts() == ["CNPJ [cnpj]"]


@pytest.mark.promise("turns-masked")
def test_an_operation_that_is_a_code_stays_and_another_is_masked(talks: Talks) -> None:
    talks.sent(
        action("reschedule_visit"), action("call +55 11 91234-5678"), action("mail somebody@example.com")
    )
    record = talks.record()
    assert record is not None
    assert [one.operation for one in record.turns] == ["reschedule_visit", "call [phone]", "mail [email]"]


@pytest.mark.parametrize(
    ("field_name", "value"),
    [
        ("channel", "somebody@example.com"),
        ("channel", "tel-5511912345678"),
        ("object_refs", [{"type": "cpf-52998224725", "namespace": "erp", "id": "1"}]),
        ("object_refs", [{"type": "order", "namespace": "somebody@example.com", "id": "1"}]),
        ("object_refs", ["order:shop:somebody@example.com"]),
        ("speaker", {"role": "customer", "id": "somebody@example.com"}),
        ("context_stamp", {"receipt_id": "somebody@example.com", "etag": "somebody@example.com"}),
        ("idempotency_key", "somebody@example.com"),
        ("conversation_aliases", ["somebody@example.com"]),
        ("task_id", "somebody@example.com"),
        ("conversation_id", "sk-live-abcdefgh12345678"),
        ("handles", [{"type": "somebody@example.com", "value": "x", "scope": "52998224725"}]),
    ],
)
def test_what_is_no_text_is_hashed_replaced_or_dropped(talks: Talks, field_name: str, value: object) -> None:
    answer = talks.send(event("Oi", handles=[WHATSAPP]) | {field_name: value})
    assert answer.status_code == 200, answer.text
    stored = repr([talks.rows(turn), talks.rows(conversation), talks.world.receipts(), answer.text])
    for trace in ("somebody", "example.com", "5511912345678", "52998224725", "abcdefgh12345678"):
        assert trace not in stored


def test_what_the_space_learns_meanwhile_masks_the_turn(
    talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, kernel = talks.world.caller("owner"), talks.world.kernel
    spans_of, left = Detectors.spans_of, [1]

    def learning(self: Detectors, texts: Sequence[str], **options: object) -> object:
        found = spans_of(self, texts, **options)  # type: ignore[arg-type]
        if left:
            left.pop()
            add(kernel, owner, [Customer("Otacília Bramante")])
        return found

    monkeypatch.setattr(Detectors, "spans_of", learning)
    done = talks.sent(event("veio a otacilia bramante hoje"))
    assert talks.texts() == ["veio a [name] hoje"]
    assert json.dumps(done["masked"]) == '{"name": 1}'
