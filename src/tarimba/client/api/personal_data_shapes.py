"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class EntryView(TypedDict):
    entry_id: str
    term: str
    reason: str
    confirmed: bool
    created_at: str
    created_by: str


class EntriesView(TypedDict):
    items: list[EntryView]
    next_cursor: NotRequired[str]


class RemovedEntryView(TypedDict):
    entry_id: str


class CountsView(TypedDict):
    customers: int
    entries: dict[str, int]


class SkippedView(TypedDict):
    index: int
    field: str
    detail: str


class TakenView(TypedDict):
    added: dict[str, int]
    known: int
    skipped: list[SkippedView]


class PersonalDataRequestsHandleBody(TypedDict):
    type: Literal[
        "phone",
        "whatsapp",
        "email",
        "cpf",
        "cnpj",
        "rg",
        "cnh",
        "pis",
        "titulo_eleitor",
        "cns",
        "passport",
        "us_ssn",
        "us_itin",
        "uk_nino",
        "es_nif",
        "es_nie",
        "ar_dni",
    ]
    value: str


class CustomerBody(TypedDict):
    name: NotRequired[str | None]
    handles: NotRequired[list[PersonalDataRequestsHandleBody]]


class PersonalDataRoutesRemovedView(TypedDict):
    removed: int
