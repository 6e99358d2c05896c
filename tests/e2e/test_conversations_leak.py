"""500 planted values and known customers in every field that an event can carry: afterwards they are nowhere."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import httpx
import pytest
from stdnum.br import cnpj, cpf
from stdnum.luhn import calc_check_digit

from tests.e2e.company import Company, Place, log_of
from tests.e2e.test_nothing_personal import content_of, files_of
from tests.fixtures.server import RunningServer, running_server

VALUES: Final = 500
LETTERS: Final = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
FIRST: Final = (
    "Zuleide Otacília Gumercindo Ermengarda Filomeno Deusdete Hermenegilda Clodoaldo Idalina Querubina"
).split()
LAST: Final = (
    "Quaresma Bramante Carpegiani Tavolaro Zaccarelli Brunharo Calabresi Dornelles Fagundes Wasilewski"
).split()
FOUND_MIN: Final = 0.7

dice = random.Random(20261130)


def digits(count: int) -> str:
    return "".join(dice.choice("0123456789") for _ in range(count))


def word(count: int) -> str:
    return "".join(dice.choice(LETTERS) for _ in range(count)) + digits(2)


def phone() -> str:
    area, number = dice.choice((11, 21, 31, 48, 85)), f"9{dice.choice('6789')}{digits(7)}"
    forms = ("+55 {a} {n}", "({a}) {h}-{t}", "55{a}{n}", "+55{a}{n}", "{a} {h} {t}", "0{a} {h}-{t}")
    return dice.choice(forms).format(a=area, n=number, h=number[:5], t=number[5:])


def tax_number() -> str:
    base = digits(9)
    whole = base + cpf._calc_check_digits(base)
    return dice.choice((cpf.format(whole), whole))


def company_number() -> str:
    base = digits(8) + "0001"
    return str(cnpj.format(base + cnpj.calc_check_digits(base)))


def card() -> str:
    base = "4" + digits(14)
    whole = base + calc_check_digit(base)
    return dice.choice(("{}", "{} ")).join((whole[:4], whole[4:8], whole[8:12], whole[12:])).replace("{}", "")


# Each kind with a sentence that holds it, as a customer or an agent says it.
KINDS: Final[Mapping[str, tuple[Callable[[], str], str]]] = {
    "phone": (phone, "meu telefone é {}, pode ligar"),
    "email": (lambda: f"{word(8).lower()}@example.com", "escreva para {} por favor"),
    "cpf": (tax_number, "CPF {} do titular"),
    "cnpj": (company_number, "faturar no CNPJ {}"),
    "credit_card": (card, "paguei com o cartão {} ontem"),
    "password": (lambda: f"{word(8)}#", "minha senha é {}"),
    "secret": (lambda: f"sk-{word(24)}", "a chave é {} no painel"),
}
# What a detector knows by itself is planted as an id too; a password is none without its sentence.
IDS: Final = ("phone", "email", "cpf", "cnpj", "secret")


def said(text: str, at: int) -> dict[str, Any]:
    """The fields of an event that hold what was said or done, by turns."""
    acted = {"kind": "action", "content": None}
    return (
        {"content": {"type": "text", "text": text}},
        {"content": {"type": "audio", "transcript": text}},
        {**acted, "action": {"operation": "reschedule", "result": text}},
        {**acted, "action": {"operation": "reschedule", "purpose": text}},
        {**acted, "action": {"operation": text}},
        {"content": {"type": "text", "text": json.dumps({"said": text}), "transcript": text}},
    )[at % 6]  # fmt: skip


def named(value: str, at: int) -> dict[str, Any]:
    """The fields that hold ids, codes and what is not kept, by turns."""
    handle = {"type": "phone_e164", "value": value, "scope": value}
    return (
        {"conversation_id": value}, {"task_id": value}, {"conversation_aliases": [value]}, {"channel": value},
        {"handles": [handle]}, {"handles": [{"type": value, "value": "x"}]},
        {"subjects": [{"kind": value, "role": value, "handles": [handle | {"type": "email"}]}]},
        {"object_refs": [{"type": value, "namespace": "erp", "id": "1"}]},
        {"object_refs": [{"type": "order", "namespace": value, "id": value}]},
        {"speaker": {"role": "human_agent", "id": value, "name": value}}, {"idempotency_key": value},
        {"fields": {value: value}}, {"voice": {"ani": value, "dnis": value}}, {"canonical_type": value},
        {"context_stamp": {"receipt_id": value, "etag": value}}, {value: value}, {"usage": {"model": value}},
        {"type": value}, {"speaker": {"role": value}}, {"occurred_at": value}, {"kind": value},
    )[at % 21]  # fmt: skip


class Planted:
    """The values and the items that carry them."""

    def __init__(self) -> None:
        self.values: list[tuple[str, str]] = []
        self.items: list[dict[str, Any]] = []
        for at in range(VALUES):
            kind = list(KINDS)[at % len(KINDS)]
            make, sentence = KINDS[kind]
            value = make()
            self.values.append((kind, value))
            self._add(at, said(sentence.format(value), at // len(KINDS)))
            if kind in IDS:
                self._add(at, named(value, at // 2))
        self.items += self.marks()

    def marks(self) -> Iterator[dict[str, Any]]:
        """Items of the other types, with a value in each of their fields."""
        for at, (kind, value) in enumerate(self.values[:100]):
            if kind not in IDS:
                continue
            handles = [
                {"type": "email", "value": value},
                {"type": "system_id", "value": value, "scope": value},
            ]
            ids = {"idempotency_key": f"m-{at}", "conversation_id": value, "task_id": value}
            sentence = KINDS[kind][1].format(value)
            yield {"type": "identify", "handles": handles, "method": "declared", **ids}
            yield {
                "type": "verify",
                "method": value,
                "level": "V1",
                "handle": handles[0],
                **ids,
                "idempotency_key": f"v-{at}",
            }
            yield {
                "type": "handoff",
                "reason": sentence,
                "target": value,
                "target_source": value,
                **ids,
                "idempotency_key": f"h-{at}",
            }
            yield {"type": "conversation.ended", **ids, "idempotency_key": f"e-{at}"}
            yield {"type": "task.ended", **ids, "idempotency_key": f"t-{at}", "outcome": value}
            yield {"type": "heartbeat", "window_start": value, "sent": value}

    def _add(self, at: int, fields: Mapping[str, Any]) -> None:
        whole = {
            "type": "event", "kind": "message", "idempotency_key": f"{at}-{len(self.items)}", "channel": "whatsapp",
            "conversation_id": f"c-{at % 40}", "speaker": {"role": "customer"}, "content": {"text": "Oi"},
        }  # fmt: skip
        self.items.append(whole | dict(fields))

    def traces(self) -> Iterator[bytes]:
        """What would give a value away: itself, its digits, and plain hashes of both."""
        for kind, value in self.values:
            number = re.sub(r"\D", "", value) if kind not in ("email", "password", "secret") else ""
            for form in {value, value.replace(" ", ""), number, number.removeprefix("55")} - {""}:
                yield form.encode()
                yield from (
                    made(form.encode()).hexdigest().encode() for made in (hashlib.sha256, hashlib.md5)
                )


def readable(content: bytes) -> bytes:
    """What could be read in a file, each stretch once: pages that were written many times are looked at once."""
    return b"\n".join(set(re.findall(rb"[ -~\x80-\xff]{6,}", content)))


@pytest.fixture(scope="module")
def loud(place: Place) -> Iterator[RunningServer]:
    environment = place.environment | {"TARIMBA_LOG_LEVEL": "debug"}
    with running_server(place.data, place.db, env=environment) as server:
        yield server


def send(client: httpx.Client, company: Company, items: list[Any]) -> str:
    """What came back for items, in batches."""
    answers = []
    for first in range(0, len(items), VALUES):
        batch = {"items": items[first : first + VALUES]}
        answer = client.post("/v1/batch", json=batch, headers=company.headers("billing"))
        assert answer.status_code in (200, 207), answer.text
        answers.append(answer.text + str(answer.headers))
    return "".join(answers)


def people() -> list[str]:
    """A hundred full names."""
    return [f"{first} {last}" for first in FIRST for last in LAST]


@pytest.mark.promise("turns-masked")
def test_what_was_planted_is_nowhere(
    request: pytest.FixtureRequest, place: Place, company: Company, loud: RunningServer
) -> None:
    planted = Planted()
    known = people()[::5]
    with httpx.Client(base_url=loud.base_url, timeout=120) as client:
        customers = {"items": [{"name": name} for name in known]}
        path = "/v1/admin/known-customers"
        assert client.post(path, json=customers, headers=company.headers("owner")).is_success
        said_names = [
            {"type": "event", "idempotency_key": f"k-{at}", "conversation_id": name, "channel": name,
             "content": {"text": f"ok {name.upper()} ok"}, "action": {"operation": name, "result": name}}
            for at, name in enumerate(known)
        ]  # fmt: skip
        answers = send(client, company, [*planted.items, *said_names])
    # As a crash leaves it: the log of changes is still there.
    loud.kill9()
    holders = {"the answers": answers.encode(), "the log": loud.stderr.read_bytes()}
    holders |= {path.name: content_of(path) for path in files_of(request, place)}
    loud.start()
    with place.kernel() as kernel:
        receipts = [stored.document for stored in log_of(kernel, company)]
    holders["receipts"] = json.dumps(receipts).encode()
    assert len(planted.values) == VALUES
    looked_at = {holder: readable(content) for holder, content in holders.items()}
    for trace in set(planted.traces()):
        assert not [holder for holder, content in looked_at.items() if trace in content], trace
    low = {holder: content.lower() for holder, content in looked_at.items()}
    for name in known:
        assert not [holder for holder, content in low.items() if name.lower().encode() in content], name
    assert sum(one["detail"]["accepted"] for one in receipts if one["action"] == "turns.record") > VALUES


def test_names_of_nobody_known_are_masked_as_often_as_is_said(
    place: Place, company: Company, loud: RunningServer
) -> None:
    carriers = ("Olá, aqui é {}, tudo bem?", "meu nome é {}", "a titular é {} mesmo", "falei com {} ontem")
    names = people()
    items = [
        {"type": "event", "idempotency_key": f"n-{at}", "conversation_id": "c-1",
         "content": {"text": carriers[at % len(carriers)].format(name)}}
        for at, name in enumerate(names)
    ]  # fmt: skip
    with httpx.Client(base_url=loud.base_url, timeout=120) as client:
        send(client, company, items)
    texts = [row[0] for row in place.ask(f"SELECT text FROM turn WHERE space_id = '{company.space_id}'")]
    kept = [name for name in names if any(name in text for text in texts)]
    assert len(kept) <= len(names) * (1 - FOUND_MIN), len(kept)
