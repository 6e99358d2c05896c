"""Who publishes at which of the four scopes, and who looks: one table, at every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from tarimba.identity.hosting import host_of
from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.skills import explaining, exporting, looking, publishing, removing, sharing
from tarimba.skills.access import Asked
from tarimba.skills.drafting import Offer
from tarimba.storage.tables import skill
from tests.contract.notes.world import World, code, refusal
from tests.contract.skills.stage import NAME, Stage, stage_of, text_of

pytestmark = pytest.mark.promise("skills-who-publishes")

SCOPES: Mapping[str, Asked] = {
    "space": Asked(),
    "space for an agent": Asked(agent="billing"),
    "north": Asked("subscription", "north"),
    "north for an agent": Asked("subscription", "north", "billing"),
    "south": Asked("subscription", "south"),
}
SPACE, NORTH, SOUTH = {"space", "space for an agent"}, {"north", "north for an agent"}, {"south"}
EVERYWHERE = SPACE | NORTH | SOUTH
# Where each may publish; everywhere else it is refused.
MAY: Mapping[str, set[str]] = {
    "host": EVERYWHERE,
    "admin": EVERYWHERE,
    "owner": SPACE,
    "manager": SPACE,
    "keeper": NORTH,
    "other": SOUTH,
    "reviewer": set(),
    "operator": set(),
    "auditor": set(),
    "member": set(),
    "billing": set(),
}
LOOKS: Mapping[str, set[str]] = {
    **dict.fromkeys(("host", "admin", "owner", "manager", "reviewer", "operator", "auditor"), EVERYWHERE),
    "keeper": SPACE | NORTH,
    "other": SPACE | SOUTH,
    "member": set(),
    "billing": set(),
}
# A manager of one subscription does not learn what others there are.
HIDDEN = {"keeper", "other"}


@pytest.fixture
def stage(world: World) -> Stage:
    return stage_of(world)


def caller(stage: Stage, who: str) -> Principal:
    return host_of(stage.kernel, stage.world.space_id) if who == "host" else stage.caller(who)


def changes(stage: Stage, who: Principal, asked: Asked) -> list[Callable[[], object]]:
    kernel = stage.kernel
    given = sharing.Given("rates.csv", b"a,b")
    return [
        lambda: publishing.publish(kernel, who, asked, Offer(text=text_of())),
        lambda: publishing.publish(kernel, who, asked, Offer(text=text_of(words="Two."))),
        lambda: publishing.roll_back(kernel, who, asked, NAME, 1),
        lambda: removing.remove(kernel, who, asked, NAME),
        lambda: sharing.share(kernel, who, asked, given),
        lambda: sharing.unshare(kernel, who, asked, "rates.csv"),
    ]


def looks(stage: Stage, who: Principal, asked: Asked) -> list[Callable[[], object]]:
    kernel = stage.kernel
    return [
        lambda: looking.list_skills(kernel, who, asked, Window(9)),
        lambda: looking.list_versions(kernel, who, asked, NAME, limit=9),
        lambda: looking.read_document(kernel, who, asked, NAME, None),
        lambda: looking.read_archive(kernel, who, asked, NAME, None),
        lambda: looking.list_files(kernel, who, asked, Window(9)),
        lambda: looking.read_file(kernel, who, asked, "rates.csv"),
        lambda: explaining.explain(kernel, who, asked.subscription, asked.agent),
    ]


@pytest.mark.parametrize("who", MAY)
def test_everybody_publishes_where_they_may_and_nowhere_else(stage: Stage, who: str) -> None:
    for name, asked in SCOPES.items():
        wanted = "ok" if name in MAY[who] else "scope_missing"
        codes = [code(work) for work in changes(stage, caller(stage, who), asked)]
        assert codes == [wanted] * len(codes), name
    assert stage.world.count(skill, skill.c.version > 0) == 0


@pytest.mark.parametrize("who", LOOKS)
def test_everybody_looks_where_they_may_and_nowhere_else(stage: Stage, who: str) -> None:
    for asked in SCOPES.values():
        stage.publish(asked=asked)
        stage.share(asked=asked)
    for name, asked in SCOPES.items():
        refused = "not_found" if who in HIDDEN else "scope_missing"
        wanted = "ok" if name in LOOKS[who] else refused
        codes = [code(work) for work in looks(stage, caller(stage, who), asked)]
        assert codes == [wanted] * len(codes), name


def test_a_manager_of_one_subscription_sees_the_space_and_their_own(stage: Stage) -> None:
    for asked in SCOPES.values():
        stage.publish(asked=asked)
        stage.share(asked=asked)
    for who, wanted in (("keeper", 4), ("other", 3), ("auditor", 5)):
        skills, _ = looking.list_skills(stage.kernel, stage.caller(who), None, Window(9))
        files, _ = looking.list_files(stage.kernel, stage.caller(who), None, Window(9))
        assert (len(skills), len(files)) == (wanted, wanted)


@pytest.mark.parametrize("who", MAY)
def test_only_who_erases_in_the_space_erases_skills_and_exports_them(stage: Stage, who: str) -> None:
    stage.publish(asked=SCOPES["north"])
    wanted = "ok" if who in {"host", "admin", "owner"} else "scope_missing"
    person = caller(stage, who)
    assert code(lambda: exporting.export(stage.kernel, person)) == wanted
    assert code(lambda: removing.erase(stage.kernel, person, SCOPES["north"], NAME)) == wanted


def test_what_does_not_exist_is_not_found_and_what_does_not_fit_is_told(stage: Stage) -> None:
    for asked in (
        Asked("subscription", "east"),
        Asked(agent="nobody"),
        Asked("subscription", "north", "nobody"),
    ):
        assert code(partial(stage.publish, asked=asked)) == "not_found"
    for asked in (Asked("subscription"), Asked("tenant", "north")):
        assert refusal(partial(stage.publish, asked=asked)).detail.startswith("subscription: ")
    by_id = Asked("subscription", stage.subscriptions["north"], stage.world.sources["billing"])
    stage.publish(asked=by_id)
    assert stage.publish(asked=SCOPES["north for an agent"]).done.status == 200
