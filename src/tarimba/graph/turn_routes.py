"""`/v1/turns/...`: a harness tells which turns of a workspace are under way."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from tarimba.graph import access, turns
from tarimba.http.reading import CallerId
from tarimba.http.route import Answer, Call, Route
from tarimba.kernel import Kernel

TAG: Final = "memory graph"
_EXEMPT: Final = "A turn is under way or over: nothing is read, and what is kept is forgotten with the turn."


class TurnBody(BaseModel):
    """Which turn. Without `turn_id` the conversation has one turn at a time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    conversation_id: CallerId
    turn_id: CallerId | None = None


class StartedView(TypedDict):
    """When the turn is forgotten if nobody ends it."""

    open_until: str


class EndedView(TypedDict):
    """How many turns were open that are over now."""

    ended: int


def post_start(kernel: Kernel, call: Call) -> Answer:
    until = turns.start_turn(kernel, call.principal, call.body.conversation_id, call.body.turn_id)
    return Answer({"open_until": until})


def post_end(kernel: Kernel, call: Call) -> Answer:
    ended = turns.end_turn(kernel, call.principal, call.body.conversation_id, call.body.turn_id)
    return Answer({"ended": ended})


ROUTES: Final = (
    Route(
        "POST",
        "/v1/turns/start",
        post_start,
        "A turn of a workspace begins",
        TAG,
        None,
        _EXEMPT,
        body=TurnBody,
        answer=StartedView,
        identify=access.authenticate,
    ),
    Route(
        "POST",
        "/v1/turns/end",
        post_end,
        "A turn of a workspace is over",
        TAG,
        None,
        _EXEMPT,
        body=TurnBody,
        answer=EndedView,
        identify=access.authenticate,
    ),
)
