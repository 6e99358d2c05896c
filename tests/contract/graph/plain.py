"""What a graph should do, in the plainest way: lists and loops, nothing of ours.

The reference server's semantics and what is added to them: names that are taken are skipped and told, duplicates
collapse, an end that is missing is told, entities are archived and merged.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Triple = tuple[str, str, str]


class RefusedError(Exception):
    """The operation is refused and nothing is changed."""


@dataclass
class Thing:
    name: str
    kind: str
    said: list[str]
    status: str = "active"
    into: str | None = None


@dataclass
class Plain:
    things: list[Thing] = field(default_factory=list)
    relations: list[Triple] = field(default_factory=list)
    # When a text was learned: a merged entity has what was learned first in front.
    learned: dict[tuple[str, str], int] = field(default_factory=dict)
    clock: int = 0

    def create(self, new: Sequence[tuple[str, str, Sequence[str]]]) -> dict[str, Any]:
        made, skipped, similar = [], [], []
        for name, kind, texts in new:
            if self.thing(name):
                skipped.append(name)
                continue
            near = [
                one.name for one in self.things if one.status != "merged" and fold(one.name) == fold(name)
            ]
            if near:
                similar.append({"name": name, "existing": near[0]})
            said = list(dict.fromkeys(texts))
            self.things.append(Thing(name, kind, said))
            for text in said:
                self._learn(name, text)
            made.append({"name": name, "entityType": kind, "observations": list(said)})
        return {"entities": made, "skipped": skipped, "similar": similar}

    def relate(self, triples: Sequence[Triple]) -> dict[str, Any]:
        made = [one for one in dict.fromkeys(triples) if one not in self.relations]
        self.relations += made
        dangling = [
            end for end in dict.fromkeys(end for one in triples for end in one[:2]) if not self.there(end)
        ]
        shown = [self.shown_relation(one) for one in made]
        return {"relations": shown, "skipped": len(triples) - len(made), "dangling": dangling}

    def observe(self, additions: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        if not all(self.there(name) for name in additions):
            raise RefusedError
        results = []
        for name, texts in additions.items():
            said = self._need(name).said
            new = [text for text in dict.fromkeys(texts) if text not in said]
            said += new
            for text in new:
                self._learn(name, text)
            results.append({"entityName": name, "addedObservations": new, "skipped": len(texts) - len(new)})
        return results

    def delete(self, names: Sequence[str]) -> int:
        gone = {name for name in names if self.thing(name)}
        count = len(gone)
        while more := {one.name for one in self.things if one.into in gone and one.name not in gone}:
            gone |= more
        self.things = [one for one in self.things if one.name not in gone]
        touched = gone | set(names)
        self.relations = [one for one in self.relations if touched.isdisjoint(one[:2])]
        return count

    def forget(self, deletions: Mapping[str, Sequence[str]]) -> int:
        count = 0
        for name, texts in deletions.items():
            thing = self.thing(name)
            for text in dict.fromkeys(texts):
                if thing and text in thing.said:
                    thing.said.remove(text)
                    count += 1
        return count

    def unrelate(self, triples: Sequence[Triple]) -> int:
        gone = set(triples) & set(self.relations)
        self.relations = [one for one in self.relations if one not in gone]
        return len(gone)

    def merge(self, source: str, target: str) -> bool:
        if source == target or not (self.there(source) and self.there(target)):
            raise RefusedError
        gone, kept = self._need(source), self._need(target)
        for text in gone.said:
            if text not in kept.said:
                kept.said.append(text)
                self.learned[target, text] = self.learned[source, text]
        kept.said.sort(key=lambda text: self.learned[target, text])
        gone.said, gone.status, gone.into = [], "merged", target
        rewired: list[Triple] = []
        # A relation that was the target's already stays where it was.
        standing = {one for one in self.relations if source not in one[:2]}
        for one in self.relations:
            new = (target if one[0] == source else one[0], target if one[1] == source else one[1], one[2])
            becomes_self = new[0] == new[1] and one[0] != one[1]
            if one in standing:
                rewired.append(one)
            elif not becomes_self and new not in standing and new not in rewired:
                rewired.append(new)
        self.relations = rewired
        return True

    def settle(self, name: str, status: str) -> bool:
        if not self.there(name):
            raise RefusedError
        changed = self._need(name).status != status
        self._need(name).status = status
        return changed

    def thing(self, name: str) -> Thing | None:
        return next((one for one in self.things if one.name == name), None)

    def there(self, name: str) -> bool:
        thing = self.thing(name)
        return thing is not None and thing.status != "merged"

    def shown(self, *, archived: bool, merged: bool) -> dict[str, Any]:
        """Entities and relations as a whole read shows them."""
        wanted = {"active"} | ({"archived"} if archived else set()) | ({"merged"} if merged else set())
        entities = [shown_thing(one) for one in self.things if one.status in wanted]
        hidden = {one.name for one in self.things if one.status == "archived" and not archived}
        relations = [one for one in self.relations if hidden.isdisjoint(one[:2])]
        return {"entities": entities, "relations": [self.shown_relation(one) for one in relations]}

    def shown_relation(self, one: Triple) -> dict[str, Any]:
        shown: dict[str, Any] = {"from": one[0], "to": one[1], "relationType": one[2]}
        return shown if self.there(one[0]) and self.there(one[1]) else shown | {"dangling": True}

    def _need(self, name: str) -> Thing:
        thing = self.thing(name)
        assert thing is not None
        return thing

    def _learn(self, name: str, text: str) -> None:
        self.clock += 1
        self.learned[name, text] = self.clock


def shown_thing(one: Thing) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": one.name, "entityType": one.kind, "observations": list(one.said)}
    shown |= {"status": one.status} if one.status != "active" else {}
    return shown | ({"mergedInto": one.into} if one.into else {})


def fold(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char))
