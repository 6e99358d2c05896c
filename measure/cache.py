"""What the place of the notes in a prompt is worth in providers' prompt caches: 1,000 requests, replayed.

Run: python -m measure.cache [--page FILE]
Nothing is asked of a provider: `measure/cache_rules.py` models what they say of their caches, `cache_prices.toml` holds
what they charge, and `cache_work.py` makes the requests. Equal code gives an equal page.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from measure.cache_rules import Cache, Piece, Price, Use
from measure.cache_work import CUSTOMERS, INSTRUCTIONS, PLACEMENTS, REQUESTS, TOOLS, Turn, turns

PRICES: Final = Path(__file__).with_name("cache_prices.toml")
NOTES_TOKENS: Final = (300, 1000, 2000)
BUYERS: Final = ("Claude Sonnet 5, 5 minutes", 1000)
"""The model and the size of notes that the sentence for a buyer speaks of."""
OURS, BEHIND, JOINED = PLACEMENTS

_WHAT: Final = """\
A provider keeps the beginning of a prompt and charges a tenth to a quarter for it when the next prompt begins with the
same tokens. So it matters what comes first. This page says how much: the same {requests:,} requests of {customers}
customers, with the agent's notes in three places. The bytes of the notes are [the same for every
customer](concepts/same-bytes.md), which is what makes the first place possible.
"""
_HOW: Final = """\
## How it was computed

Nothing was asked of a provider. `measure/cache_rules.py` is a model of what the providers write about their caches.
`measure/cache_prices.toml` names for each model the prices, the pages they are from and the day of the copy that was
read. `python -m measure.cache` computes this page: equal code gives equal figures.

- **Requests.** {requests:,} of {customers} customers in four hours, five for each in the mean and 20 to 150 seconds
  apart, drawn with a fixed seed. Each has tools ({tools} tokens), instructions ({instructions}), notes (300, 1,000 or
  2,000), the context of the customer (120 to 300) and the conversation so far. In the middle an approval changes the
  notes.
- **Marks.** Each placement has two, so that none wins by having more. One is at the end of the conversation. The other
  is behind the notes (before the customer), behind the instructions (notes after the customer), or at the end of the
  one system block (joined: nothing can be marked within a block).
- **GPT-4.1** and others before GPT-5.6 take no marks. The longest beginning that was there before is found, from 1,024
  tokens on in steps of 128; keeping it is free.
- **GPT-5.6 and later.** A request writes up to four breakpoints, one of them set by OpenAI at the user's last message.
  A kept beginning is found at one of the latest 80 breakpoints of a request. Writing costs 1.25 of plain input.
- **Claude.** Up to four marks; from each, up to 20 blocks back are looked at for a beginning that was written. Writing
  costs 1.25 (kept for 5 minutes after the last use) or 2 (1 hour). Below the model's minimum nothing is kept: with
  Haiku's 4,096 tokens no placement helps here.
- **Gemini.** *Implicit* is like GPT-4.1 with a minimum of 2,048, and here found each time, which Google does not
  promise. *Explicit*: the caller stores everything up to the first mark for an hour, at the price of input and a rent
  for each token and hour; what is shorter than the minimum is not stored.
- **Where joined is as good.** A provider without marks finds the same beginning within one text, as long as the notes
  come before the customer in it.
- **Not modelled:** output, which is the same in all; requests that reach a server without the cache; thinking.

"Read" is the share of input tokens that came from the cache. Costs are US dollars for the input of all requests.
"Against" says how much cheaper the first placement is.

| model | kept | minimum | input, $ per million | read | write | seen |
| --- | --- | ---: | ---: | ---: | ---: | --- |
"""


@dataclass(frozen=True)
class Row:
    """One model and size of notes: what each placement used and costs."""

    price: Price
    notes: int
    uses: Mapping[str, Use]
    prompt: int

    def cost(self, placement: str) -> float:
        return self.uses[placement].cost(self.price)

    def share(self, placement: str) -> float:
        return self.uses[placement].read / self.prompt

    def saved(self, placement: str) -> float:
        """How much cheaper ours is than that one, as a share of its cost."""
        return 1 - self.cost(OURS) / self.cost(placement)


def models() -> list[dict[str, Any]]:
    """What `cache_prices.toml` says of each model."""
    with PRICES.open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["model"]
    return found


def prices() -> list[Price]:
    known = {one.name for one in fields(Price)}
    return [Price(**{name: value for name, value in one.items() if name in known}) for one in models()]


def replay(price: Price, notes: int, asked: Sequence[Turn]) -> Row:
    """All requests in each placement, each with a cache of its own."""
    uses = {}
    for name, place in PLACEMENTS.items():
        cache = Cache(price)
        made = [place(turn, Piece(f"notes {turn.approved}", notes)) for turn in asked]
        uses[name] = sum(
            (cache.ask(blocks, turn.at) for blocks, turn in zip(made, asked, strict=True)), Use()
        )
    prompt = sum(piece.tokens for blocks in made for block in blocks for piece in block.pieces)
    return Row(price, notes, uses, prompt)


def rows() -> list[Row]:
    asked = turns()
    return [replay(price, notes, asked) for price in prices() for notes in NOTES_TOKENS]


def figures(found: Sequence[Row]) -> tuple[int, int]:
    """What the sentence for a buyer says: per cent cheaper than with notes after the customer, and than joined."""
    (row,) = (one for one in found if (one.price.name, one.notes) == BUYERS)
    return round(100 * row.saved(BEHIND)), round(100 * row.saved(JOINED))


def sentence(found: Sequence[Row]) -> str:
    after, joined = figures(found)
    return (
        f"In {REQUESTS:,} requests of {CUSTOMERS} customers, an agent with {BUYERS[1]:,} tokens of notes pays {after}% "
        "less for what it sends to Claude Sonnet 5 than with its notes after the customer, and "
        f"{joined}% less than with one joined text."
    )


def page(found: Sequence[Row]) -> str:
    """The page as Markdown."""
    return "\n".join(_lines(found)).rstrip() + "\n"


def _lines(found: Sequence[Row]) -> Iterator[str]:
    yield "<!-- Written by `python -m measure.cache --page FILE`: compute it again, don't edit. -->"
    yield "\n# Prompt caches, computed\n"
    yield f"**{sentence(found)}**\n"
    yield _WHAT.format(requests=REQUESTS, customers=CUSTOMERS)
    yield (
        "| model | notes | read: before | read: after | read: joined "
        "| cost: before | cost: after | cost: joined | against after | against joined |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row in found:
        shares = [f"{row.share(name):.0%}" for name in PLACEMENTS]
        costs = [f"{row.cost(name):.2f}" for name in PLACEMENTS]
        saved = [f"{row.saved(name):.0%}" for name in (BEHIND, JOINED)]
        yield f"| {' | '.join([row.price.name, str(row.notes), *shares, *costs, *saved])} |"
    yield "\nColumns are named after where the notes are: before the customer, after the customer, joined.\n"
    yield _HOW.format(
        requests=REQUESTS, customers=CUSTOMERS, tools=TOOLS.tokens, instructions=INSTRUCTIONS.tokens
    ).rstrip("\n")
    for model in models():
        kept = model.get("assumed") or f"{model['ttl'] // 60} minutes"
        told = [kept, *(str(model[name]) for name in ("minimum", "input", "read", "write", "seen"))]
        yield f"| {' | '.join([model['name'], *told])} |"
    yield (
        "\nThe pages: "
        + ", ".join(f"<{url}>" for url in sorted({url for one in models() for url in one["source"]}))
        + "."
    )
    yield "\nNot found in the copies that were read, so check it before you rely on a figure in dollars:\n"
    for model in models():
        yield f"- {model['name']}: {', '.join(model['unread'])}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", type=Path, help="write the page to this file")
    given = parser.parse_args()
    text = page(rows())
    if given.page:
        given.page.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
