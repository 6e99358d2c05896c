"""What requests about words and customers may hold; lines of a file of customers are the same."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.personal_data.known_customers import CUSTOMERS_MAX, HANDLES_MAX, Customer

_VALUE_MAX: Final = 320
Reason = Literal["system_name", "company", "common_word", "branch", "product", "role_mailbox"]
HandleType = Literal[
    "phone", "whatsapp", "email", "cpf", "cnpj", "rg", "cnh", "pis", "titulo_eleitor", "cns", "passport", "us_ssn",
    "us_itin", "uk_nino", "es_nif", "es_nie", "ar_dni",
]  # fmt: skip


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListQuery(_Request):
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class TermBody(_Request):
    """`confirmed`: a person vouches that a common first name alone is nobody's here."""

    term: Annotated[str, Field(max_length=1000)]
    reason: Reason
    confirmed: bool = False


class HandleBody(_Request):
    type: HandleType
    value: Annotated[str, Field(max_length=_VALUE_MAX)]


class CustomerBody(_Request):
    """A full name, handles, or both."""

    name: Annotated[str | None, Field(max_length=_VALUE_MAX)] = None
    handles: Annotated[list[HandleBody], Field(max_length=HANDLES_MAX, default_factory=list)]

    def customer(self) -> Customer:
        return Customer(self.name, tuple((handle.type, handle.value) for handle in self.handles))


class CustomersBody(_Request):
    items: Annotated[list[CustomerBody], Field(min_length=1, max_length=CUSTOMERS_MAX)]
