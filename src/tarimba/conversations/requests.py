"""What requests about conversations may hold. The items of a batch are read one by one: a bad one spoils no other."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tarimba.conversations.items import ID_MAX, NAME_MAX, VALUE_MAX
from tarimba.conversations.model import Target
from tarimba.conversations.recording import ITEMS_MAX
from tarimba.http.reading import CallerId

_ITEMS: Final = (
    "Objects with a `type`: event, identify, verify, conversation.ended, task.ended, handoff, heartbeat."
)


class BatchBody(BaseModel):
    """Items of any type, known or not."""

    items: Annotated[list[Any], Field(min_length=1, max_length=ITEMS_MAX, description=_ITEMS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HandleBody(_Request):
    type: Annotated[str, StringConstraints(min_length=1, max_length=NAME_MAX)]
    value: Annotated[str, StringConstraints(min_length=1, max_length=VALUE_MAX)]
    scope: Annotated[str | None, Field(min_length=1, max_length=NAME_MAX)] = None
    subject_kind: Annotated[str | None, Field(max_length=NAME_MAX)] = None


class ForgetBody(_Request):
    """`target` says which of the three names what is to be forgotten; the other two are left out."""

    target: Literal["profile", "handle", "conversation"]
    profile_id: Annotated[str | None, Field(min_length=1, max_length=ID_MAX)] = None
    handle: HandleBody | None = None
    conversation_id: CallerId | None = None

    @model_validator(mode="after")
    def _names_its_target(self) -> ForgetBody:
        named = {"profile": self.profile_id, "handle": self.handle, "conversation": self.conversation_id}
        if named.pop(self.target) is None or any(value is not None for value in named.values()):
            raise PydanticCustomError(
                "rule", "must name what `target` says, in its own field and in no other"
            )
        return self

    def wanted(self) -> Target:
        if self.handle is not None:
            return Target("handle", self.handle.value, self.handle.type, self.handle.scope)
        named = self.profile_id if self.target == "profile" else self.conversation_id
        assert named is not None
        return Target(self.target, named)
