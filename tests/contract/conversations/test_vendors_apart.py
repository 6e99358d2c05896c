"""Turns of one vendor's agents, and every way in which another vendor's agent may ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tarimba.conversations import context, history, subject
from tarimba.conversations.context import Question
from tarimba.conversations.neighbour import Window
from tarimba.conversations.subject import Subject
from tarimba.errors import Refusal
from tests.contract.conversations.recorded import ANA, Recorder
from tests.contract.notes.world import World, refusal

pytestmark = pytest.mark.promise("turns-own-vendor")

SECRET = "Quokka"
# Each way in which a request can name the customer.
ABOUT: Mapping[str, Subject] = {
    "handle": Subject(handle=ANA, level="V4"),
    "handle in the conversation": Subject(handle=ANA, conversation_id="c-1", level="V4"),
    "handle in the task": Subject(handle=ANA, task_id="t-1", level="V4"),
    "conversation": Subject(conversation_id="c-1", level="V4"),
    "task": Subject(task_id="t-1", level="V4"),
}
Way = Callable[[World, str, Subject, str], Any]
WAYS: Mapping[str, Way] = {
    "context": lambda world, who, about, _: (
        context.read(
            world.kernel,
            world.caller(who),
            Question(about, include=frozenset({"agent_memory"}), view="task:collect"),
        ).text
    ),
    "search": lambda world, who, about, _: (
        history.search(world.kernel, world.caller(who), about, SECRET, Window()).items
    ),
    "timeline": lambda world, who, about, _: (
        history.timeline(world.kernel, world.caller(who), about, Window()).items
    ),
    "open": lambda world, who, about, item: (
        history.opened(world.kernel, world.caller(who), about, item)[0].lines
    ),
}


@pytest.fixture
def item(world: World, recorder: Recorder) -> str:
    """A turn in a conversation and a task of `billing`, whose customer is proven there."""
    billing = world.sources["billing"]
    found = recorder.say(billing, f"{SECRET} invoices", conversation="c-1", task="t-1")
    for kind, caller_id in (("conversation", "c-1"), ("task", "t-1")):
        recorder.settle(billing, caller_id, kind, level="V4", link="confirmed")
    return found


def given(world: World, who: str, way: str, about: Subject, item: str) -> str:
    """Everything that the caller is told."""
    try:
        return str(WAYS[way](world, who, about, item))
    except Refusal as refused:
        return f"{refused.code} {refused.detail}"


@pytest.mark.parametrize("about", ABOUT)
@pytest.mark.parametrize("way", WAYS)
def test_only_the_own_vendor_is_given_them(world: World, item: str, way: str, about: str) -> None:
    for who in ("billing", "support"):
        told = given(world, who, way, ABOUT[about], item)
        # Without a conversation nothing is proven, so that a context by the handle alone is empty.
        assert (SECRET in told) == ((way, about) != ("context", "handle")), told
    assert SECRET not in given(world, "courier", way, ABOUT[about], item)


@pytest.mark.parametrize("way", WAYS)
def test_another_vendor_gets_what_it_would_get_if_there_were_nothing(
    world: World, item: str, way: str
) -> None:
    never = Subject(conversation_id="c-never", level="V4")
    for about in ABOUT.values():
        assert given(world, "courier", way, about, item) == given(world, "courier", way, never, item)


def test_an_item_alone_opens_for_the_own_vendor_only(world: World, item: str) -> None:
    assert SECRET in given(world, "support", "open", Subject(), item)
    refused = refusal(lambda: WAYS["open"](world, "courier", Subject(), item))
    assert refused.code == "not_found"


def test_a_token_is_worth_nothing_to_another_vendor(world: World, item: str) -> None:
    about = Subject(handle=ANA, conversation_id="c-1", level="V4")
    token = subject.mint(world.kernel, world.caller("billing"), about, None).token
    for way in WAYS:
        assert SECRET in given(world, "support", way, Subject(token=token), item)
        assert given(world, "courier", way, Subject(token=token), item).startswith("not_found")


def test_a_proof_of_another_vendor_proves_nothing(world: World, recorder: Recorder) -> None:
    courier, billing = world.sources["courier"], world.sources["billing"]
    recorder.say(billing, f"{SECRET} invoices", conversation="c-0")
    recorder.say(courier, "Hello", conversation="c-1")
    recorder.settle(courier, "c-1", level="V4", link="confirmed")
    assert SECRET not in given(
        world, "billing", "context", Subject(handle=ANA, conversation_id="c-1", level="V4"), ""
    )


@pytest.mark.parametrize("way", WAYS)
def test_the_space_may_open_them(world: World, recorder: Recorder, item: str, way: str) -> None:
    recorder.open_across_vendors()
    told = given(world, "courier", way, ABOUT["handle in the conversation"], item)
    assert SECRET in told
