"""Random calls of the nine tools, and what the reference server and ours are known to answer differently. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

Document = dict[str, Any]
Arguments = Mapping[str, Any]

DIFFERENCES: Final[Mapping[str, str]] = {
    "members of ours": "An answer also tells what was skipped, is similar, dangles or goes on.",
    "duplicates collapse": "What stands twice in one call is stored once; the reference server stores it twice.",
    "reads are bounded": "A read ends before 12,000 characters and goes on with a cursor.",
    "what is not declared is counted": "Members that no tool declares are left out by both; ours says how many.",
    "nothing is asked for": "An empty query finds nothing; the reference server answers with everything.",
    "accents do not count": "A query finds a text that has its letters with other accents or in another case.",
    "the best comes first": "A search begins with whom the name alone finds, and with the observations that say most.",
    "words are found apart": "A query finds an entity that has all its words that say something, wherever they stand.",
}
OWN: Final = ("skipped", "similar", "dangling", "deleted", "truncated", "next_cursor", "ignored")
SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "entities": ("name", "entityType", "observations"),
    "relations": ("from", "to", "relationType"),
    "results": ("entityName", "addedObservations"),
}
# Some are prototypes' members in JavaScript, some differ by case and accents only, some are no entity most of the time.
NAMES: Final = (
    *(
        "Ledger",
        "ledger",
        "Pra\u00e7a",
        "praca",
        "Dock 7",
        "\u65e5\u672c",
        "Stra\u00dfe",
        "\U0001f600",
        " edge ",
    ),
    *("__proto__", "constructor", 'say "five"', "back\\slash", "one\ntwo", "\u202eturned", "0", "null"),
    *(f"Step {number}" for number in range(40)),
)
KINDS: Final = ("system", "place", "", "Pra\u00e7a")
RELATIONS: Final = ("needs", "owns", "fica em")
TEXTS: Final = (
    *("Closes at five.", "closes at five.", "Fica na pra\u00e7a do sul", "x", "100% \\ done_", "a\u2028b"),
    *("'quoted' and \"quoted\"", "The north gate opens at nine, and closes"),
    *(f"Part {number} of a long tale: {'over the hill and back, ' * 20}" for number in range(8)),
)
QUERIES: Final = (
    *(
        "ledger",
        "edg",
        "PRA\u00c7A",
        "praca",
        "sul praca",
        "gate north",
        "closes five",
        "at five.",
        "x",
        "%",
        "_",
    ),
    *(
        "",
        "Step 1",
        "part 3",
        "nowhere",
        "\u65e5",
        "\u65e5\u672c",
        "STRASSE",
        "\\",
        "\n",
        '"',
        "system",
        "five closes",
    ),
)
# Of the words of the queries, those that say how a sentence is built and not what it is about.
BUILDING: Final = frozenset({"at"})


def call(random: Random) -> tuple[str, Document]:
    """A tool with what it is asked."""
    tool = random.choices(tuple(_MAKERS), [weight for weight, _ in _MAKERS.values()])[0]
    return tool, _MAKERS[tool][1](random)


def collapsed(tool: str, asked: Arguments) -> Document:
    """The call with each thing in it once, as ours takes it."""
    if tool == "create_entities":
        firsts = {one["name"]: one for one in reversed(asked["entities"])}
        kept = [firsts[name] for name in dict.fromkeys(one["name"] for one in asked["entities"])]
        return {"entities": [one | {"observations": _once(one["observations"])} for one in kept]}
    if tool == "create_relations":
        found = {tuple(one[name] for name in SHOWN["relations"]): one for one in asked["relations"]}
        return {"relations": list(found.values())}
    if tool == "add_observations":
        return {"observations": [one | {"contents": _once(one["contents"])} for one in asked["observations"]]}
    return dict(asked)


def plain(answer: Arguments) -> Document:
    """An answer of ours without what the reference server doesn't say."""
    return {
        member: [{key: one[key] for key in SHOWN[member]} for one in said] if member in SHOWN else said
        for member, said in answer.items()
        if member not in OWN
    }


def joined(pages: Sequence[Arguments]) -> Document:
    """The pages of one read as one answer."""
    whole: Document = {"entities": [], "relations": []}
    for page in pages:
        for one in page["entities"]:
            if one.get("continued"):
                whole["entities"][-1]["observations"] += one["observations"]
            else:
                whole["entities"].append(dict(one))
        whole["relations"] += page["relations"]
    return whole


def why_found(query: str, entity: Arguments) -> str | None:
    """The difference for which ours finds an entity that the reference server doesn't; None where there is none."""
    texts = [_folded(text) for text in (entity["name"], entity["entityType"], *entity["observations"])]
    asked = _folded(query)
    if any(asked in text for text in texts):
        return "accents do not count"
    words = set(re.findall(r"\w+", " ".join(texts)))
    wanted = set(re.findall(r"\w+", asked)) - BUILDING
    return "words are found apart" if wanted and wanted <= words else None


def touching(relations: Iterable[Document], names: Iterable[str]) -> list[Document]:
    ends = set(names)
    return [one for one in relations if not ends.isdisjoint((one["from"], one["to"]))]


def _create_entities(random: Random) -> Document:
    return {"entities": [_entity(random) for _ in range(random.randrange(5))]}


def _entity(random: Random) -> Document:
    name, kind = random.choice(NAMES), random.choice(KINDS)
    return {"name": name, "entityType": kind, "observations": _texts(random)} | _more(random)


def _relations(random: Random) -> Document:
    return {"relations": [_relation(random) for _ in range(random.randrange(5))]}


def _relation(random: Random) -> Document:
    source, target = random.choices(NAMES, k=2)
    return {"from": source, "to": target, "relationType": random.choice(RELATIONS)} | _more(random)


def _more(random: Random) -> Document:
    """Now and then a member that no tool declares."""
    return {"importance": 7} if random.random() < 0.05 else {}


def _add_observations(random: Random) -> Document:
    count = random.choice((1, 1, 1, 2, 3))
    return {
        "observations": [
            {"entityName": random.choice(NAMES), "contents": _texts(random)} for _ in range(count)
        ]
    }


def _delete_observations(random: Random) -> Document:
    count = random.randrange(4)
    return {
        "deletions": [
            {"entityName": random.choice(NAMES), "observations": _texts(random)} for _ in range(count)
        ]
    }


def _texts(random: Random) -> list[str]:
    return random.choices(TEXTS, k=random.randrange(5))


def _names(random: Random) -> list[str]:
    return random.choices(NAMES, k=random.randrange(4))


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in apart if not unicodedata.combining(char))
    return " ".join(bare.split())


_MAKERS: Final = {
    "create_entities": (24, _create_entities),
    "create_relations": (16, _relations),
    "add_observations": (16, _add_observations),
    "delete_entities": (4, lambda random: {"entityNames": _names(random)[:2]}),
    "delete_observations": (8, _delete_observations),
    "delete_relations": (6, _relations),
    "read_graph": (4, lambda _: {}),
    "search_nodes": (14, lambda random: {"query": random.choice(QUERIES)}),
    "open_nodes": (8, lambda random: {"names": _names(random)}),
}
