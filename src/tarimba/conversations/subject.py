"""Which customer a request is about: by a handle, a subject token, or the conversation or task that it belongs to.

A token stands for one customer where nobody can be trusted with a handle: in a model's hands, say. It is sealed, not
stored: it holds what the memory calls the customer, never the handle, is good for agents of one vendor, and ends.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from tarimba.clock import SECOND, rfc3339
from tarimba.conversations.neighbour import Asked, CustomerHandle, Level, Talk
from tarimba.errors import Refusal, invalid
from tarimba.identity import settings as space_settings
from tarimba.identity.changes import commit_change, done, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.vault import SpaceKey

TOKEN_SECONDS: Final = 15 * 60
TOKEN_MAX: Final = 1024
_PREFIX: Final = "tar_st_"
_EXPIRES: Final = "expires_at_us"
_NO_CUSTOMER: Final = (
    "The subject token stands for no customer here: it was changed, made for agents of another vendor or of another "
    "company, or its 15 minutes are over. Make a new one with `POST /v1/subject-tokens`."
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request says about its customer. Handle and token exclude each other, and so do the two ids."""

    handle: CustomerHandle | None = None
    token: str | None = None
    conversation_id: str | None = None
    task_id: str | None = None
    level: Level = "V0"


@dataclass(frozen=True, slots=True)
class MintedSubject:
    """A new token; `expires_at` in RFC 3339."""

    token: str
    expires_at: str
    recorded: Recorded


def settle(kernel: Kernel, principal: Principal, subject: Subject) -> Asked:
    """Who asks about whom. Raises 403, 422 for two customers at once, and 404 for a token that is none or is over."""
    allow(principal, "context")
    if subject.handle is not None and subject.token is not None:
        raise invalid("subject_token", "must not come with a `subject`: each names the customer")
    asked = _of_request(kernel, principal, subject)
    return asked if subject.token is None else _of_token(kernel, principal, asked, subject.token)


def talk_of(key: SpaceKey, subject: Subject) -> Talk | None:
    """The conversation or task of a request. Raises 422 for both at once."""
    if subject.conversation_id is not None and subject.task_id is not None:
        raise invalid("task_id", "must not come with a `conversation_id`: a request belongs to one of them")
    if subject.conversation_id is not None:
        return Talk("conversation", key.commit(subject.conversation_id))
    return None if subject.task_id is None else Talk("task", key.commit(subject.task_id))


def about(asked: Asked) -> dict[str, str]:
    """The conversation or task as receipts name it."""
    return {} if asked.talk is None else {asked.talk.kind: asked.talk.mac}


def mint(kernel: Kernel, principal: Principal, subject: Subject, once_key: OnceKey | None) -> MintedSubject:
    """A token for the customer of the handle, in the conversation or task. Raises 403 and 422."""
    asked = settle(kernel, principal, subject)
    assert asked.customer is not None

    def work(tx: Tx) -> Done:
        ends = tx.now + TOKEN_SECONDS * SECOND
        detail = {"expires_at": rfc3339(ends), **about(asked)}
        receipt = Receipt("subject.token", principal.actor, principal.via, principal.source_id, detail=detail)
        return done(200, record(tx, receipt), **{_EXPIRES: str(ends)})

    change = commit_change(kernel, principal, "context", once_key, work)
    recorded = receipt_of(change)
    assert recorded is not None
    ends = int(change.ids[_EXPIRES])
    return MintedSubject(_seal(kernel.keys.of(asked.space_id), asked, ends), rfc3339(ends), recorded)


def _of_request(kernel: Kernel, principal: Principal, subject: Subject) -> Asked:
    assert principal.source_id is not None
    assert principal.vendor_id is not None
    space_id = principal.space_id
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, space_id)
    return Asked(
        space_id=space_id,
        source_id=principal.source_id,
        vendor_id=principal.vendor_id,
        across_vendors=settings.across_vendors,
        customer=None if subject.handle is None else kernel.customers.customer(space_id, subject.handle),
        talk=talk_of(kernel.keys.of(space_id), subject),
        level=subject.level,
    )


def _of_token(kernel: Kernel, principal: Principal, asked: Asked, token: str) -> Asked:
    """What the token says; the request's own conversation comes before the token's."""
    held = _open(kernel.keys.of(asked.space_id), asked, token)
    if held is None or held["e"] <= kernel.writer.now(principal.space_id):
        # One answer for all of them: whoever guesses learns nothing of which it was.
        raise Refusal("not_found", _NO_CUSTOMER)
    talk = asked.talk or (Talk(*held["t"]) if held["t"] else None)
    level = asked.level if asked.level != "V0" else held["v"]
    return Asked(
        asked.space_id, asked.source_id, asked.vendor_id, asked.across_vendors, held["c"], talk, level
    )


def _seal(key: SpaceKey, asked: Asked, ends: int) -> str:
    """The token. Equal contents give equal tokens, so that a repeated request is answered the same."""
    talk = None if asked.talk is None else [asked.talk.kind, asked.talk.mac]
    held = {"c": asked.customer, "t": talk, "v": asked.level, "e": ends}
    sealed = _cipher(key).encrypt(json.dumps(held, separators=(",", ":")).encode(), _bound_to(asked))
    return _written(sealed)


def _open(key: SpaceKey, asked: Asked, token: str) -> dict[str, Any] | None:
    """What the token holds; None for one that was not given to agents of this vendor in this space."""
    try:
        sealed = base64.b64decode(_padded(token.removeprefix(_PREFIX)), altchars=b"-_", validate=True)
        held: dict[str, Any] = json.loads(_cipher(key).decrypt(sealed, _bound_to(asked)))
    except (binascii.Error, ValueError, InvalidTag):
        return None
    # Base64 can be written in several ways; a token has one.
    return held if token == _written(sealed) else None


def _written(sealed: bytes) -> str:
    return _PREFIX + base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def _padded(body: str) -> str:
    return body + "=" * (-len(body) % 4)


def _cipher(key: SpaceKey) -> AESSIV:
    return AESSIV(bytes.fromhex(key.mac("subject-token", "mac") + key.mac("subject-token", "cipher")))


def _bound_to(asked: Asked) -> list[bytes]:
    return [asked.space_id.encode(), asked.vendor_id.encode()]
