"""What the host's command line asks of a space's words and customers: words in, JSON out.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.personal_data import known_customers, vocabulary
from tarimba.personal_data.customer_files import read_customers
from tarimba.personal_data.declaring import apply_text
from tarimba.personal_data.known_customers import CUSTOMERS_MAX
from tarimba.personal_data.vocabulary import NewTerm
from tarimba.personal_data.vocabulary_rules import ENTRIES_MAX

__all__ = ["apply_text"]


def entries(kernel: Kernel, host: Principal) -> list[dict[str, Any]]:
    """The whole vocabulary, oldest first."""
    page = vocabulary.list_entries(kernel, host, Window(ENTRIES_MAX))
    return [entry.as_json() for entry in page.items]


def add_term(kernel: Kernel, host: Principal, term: str, reason: str, *, confirmed: bool) -> dict[str, Any]:
    made = vocabulary.add(kernel, host, NewTerm(term, reason, confirmed))
    return vocabulary.read_entry(kernel, host, made.ids["entry_id"]).as_json()


def remove_term(kernel: Kernel, host: Principal, term: str) -> str:
    """Returns the id that the entry had."""
    entry_id = vocabulary.find(kernel, host, term).entry_id
    vocabulary.remove(kernel, host, entry_id)
    return entry_id


def customer_counts(kernel: Kernel, host: Principal) -> dict[str, Any]:
    return known_customers.counts(kernel, host).as_json()


def import_customers(kernel: Kernel, host: Principal, suffix: str, text: str) -> dict[str, Any]:
    """Takes a file in, in parts: a part that went in stays when a later one fails, and may be sent again."""
    customers = read_customers(suffix, text)
    added: Counter[str] = Counter()
    known, skipped = 0, []
    for first in range(0, len(customers), CUSTOMERS_MAX):
        taken = known_customers.add(kernel, host, customers[first : first + CUSTOMERS_MAX]).as_json()
        added.update(taken["added"])
        known += taken["known"]
        skipped += [one | {"index": one["index"] + first} for one in taken["skipped"]]
    return {"added": dict(sorted(added.items())), "known": known, "skipped": skipped}


def remove_customers(kernel: Kernel, host: Principal, suffix: str, text: str) -> int:
    """Returns how many entries went."""
    return sum(known_customers.remove(kernel, host, customer)[1] for customer in read_customers(suffix, text))
