"""Four layers: which one wins for whom, and that explanation, set and disk agree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from tarimba.harnesses.service import profile
from tarimba.skills import published, rules
from tarimba.skills.access import Asked
from tarimba.skills.disk import flatten
from tarimba.skills.explaining import Effective, explain
from tarimba.skills.managed import managed
from tests.contract.notes.world import World, code
from tests.contract.skills.stage import NAME, NORTH, SPACE, Stage, stage_of, text_of

AGENTS, SUBSCRIPTIONS = ("billing", "support"), ("north", "south")
# The four layers of one agent in one subscription.
LAYERS: Mapping[int, Asked] = {
    1: Asked(),
    2: Asked(agent="billing"),
    3: NORTH,
    4: Asked("subscription", "north", "billing"),
}
# Which of them reach each pair.
REACH = {
    ("north", "billing"): {1, 2, 3, 4},
    ("north", "support"): {1, 3},
    ("south", "billing"): {1, 2},
    ("south", "support"): {1},
}


@pytest.fixture
def stage(world: World) -> Stage:
    return stage_of(world)


def combinations() -> Mapping[str, set[int]]:
    """A name for each set of layers that may have it."""
    every = product((False, True), repeat=4)
    return {
        "s-" + "".join("01"[on] for on in taken): {at for at, on in enumerate(taken, 1) if on}
        for taken in every
    }


def explained(stage: Stage, subscription: str, agent: str, name: str | None = None) -> Effective:
    return explain(stage.kernel, stage.caller("auditor"), subscription, agent, name=name)


@pytest.mark.promise("skills-cascade")
def test_every_combination_of_layers_for_two_agents_and_two_subscriptions(stage: Stage) -> None:
    for name, layers in combinations().items():
        for layer in layers:
            stage.publish(text_of(name, words=f"Layer {layer}."), LAYERS[layer])
    for (subscription, agent), reached in REACH.items():
        wanted = {name: layers & reached for name, layers in combinations().items() if layers & reached}
        told = explained(stage, subscription, agent)
        assert {
            one.chosen.winner.name: {
                one.chosen.winner.place.layer,
                *(each.place.layer for each in one.chosen.hidden),
            }
            for one in told.of
        } == wanted
        assert [one.chosen.winner.name for one in told.of] == sorted(wanted)
        assert all(one.chosen.winner.place.layer == max(wanted[one.chosen.winner.name]) for one in told.of)
        assert told.count == len(wanted)
        ids = stage.subscriptions[subscription], stage.world.sources[agent]
        flatten(stage.kernel, stage.world.space_id, *ids)
        folder = stage.kernel.settings.data.joinpath("effective-skills", stage.world.space_id, *ids)
        # What comes with the package stands below all four layers, and is not explained.
        shipped = {one.name for one in managed(profile("generic"), "en")}
        on_disk = {
            path.name: (path / "SKILL.md").read_text()
            for path in folder.iterdir()
            if path.name not in shipped
        }
        assert on_disk == {
            name: text_of(name, words=f"Layer {max(of)}.").decode() for name, of in wanted.items()
        }


@pytest.mark.promise("skills-cascade")
def test_a_layer_wins_as_a_whole_never_file_by_file(stage: Stage) -> None:
    stage.publish(files={"SKILL.md": text_of(), "a.md": b"low", "b.md": b"low"})
    stage.publish(files={"SKILL.md": text_of(words="High."), "a.md": b"high", "c.md": b"high"}, asked=NORTH)
    (one,) = explained(stage, "north", "", NAME).of
    assert [file.path for file in one.chosen.winner.files] == ["SKILL.md", "a.md", "c.md"]
    (difference,) = one.differences
    assert (difference.added, difference.removed, difference.changed) == (
        ("c.md",),
        ("b.md",),
        ("SKILL.md", "a.md"),
    )
    assert difference.text is not None
    assert "-Lock it first.\n" in difference.text
    assert "+High.\n" in difference.text
    # Without a name no text is compared.
    (listed,) = explained(stage, "north", "").of
    assert listed.differences[0].text is None
    assert code(lambda: explained(stage, "south", "", "nothing")) == "not_found"


@pytest.mark.promise("skills-cascade")
def test_removing_the_winner_shows_the_one_that_it_hid(stage: Stage) -> None:
    stage.publish()
    stage.publish(text_of(words="High."), NORTH)
    before = explained(stage, "south", "billing").hash
    assert explained(stage, "north", "billing").hash != before
    stage.remove(NORTH)
    assert explained(stage, "north", "billing").hash == before
    stage.remove(SPACE)
    assert explained(stage, "north", "billing").of == ()


def test_the_layers_come_lowest_first_and_need_no_subscription(stage: Stage) -> None:
    for layer in (4, 3, 2, 1):
        stage.publish(text_of(words=f"Layer {layer}."), LAYERS[layer])
    space_id, source_id = stage.world.space_id, stage.world.sources["billing"]
    with stage.kernel.database.read() as connection:
        for subscription_id, wanted in ((stage.subscriptions["north"], [1, 2, 3, 4]), ("", [1, 2])):
            found = published.layers(connection, space_id, subscription_id, source_id)
            assert [one.place.layer for one in found] == wanted
            assert rules.cascade(found)[NAME].winner.place.layer == wanted[-1]
        assert [one.place.layer for one in published.layers(connection, space_id, "", "")] == [1]


def test_equal_bytes_are_an_equal_set_wherever_they_are_published(stage: Stage) -> None:
    stage.publish(text_of(), NORTH)
    stage.publish(text_of(), Asked("subscription", "south", "support"))
    assert explained(stage, "north", "billing").hash == explained(stage, "south", "support").hash
    assert explained(stage, "south", "billing").hash != explained(stage, "north", "billing").hash
