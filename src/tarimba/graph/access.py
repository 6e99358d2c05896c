"""Workspace tokens in use: who is behind one, and the one of a seat."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr
from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.graph.model import By, Scope
from tarimba.graph.tokens import Claim, mint, verify
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, epoch_of, seat_named, working_at
from tarimba.identity.service import unauthenticated
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded, Via
from tarimba.receipts.service import record_read
from tarimba.settings import Settings


@dataclass(frozen=True, slots=True)
class Shown:
    """A workspace token that somebody of the host asked for."""

    token: str
    seat: Seat
    receipt: Recorded


def has_graph(settings: Settings) -> bool:
    """Whether there is a graph here at all: without a secret there are no tokens."""
    return settings.mcp_token_secret is not None


def authenticate(kernel: Kernel, bearer: str, via: Via) -> Principal:
    """The workspace behind a token. Raises 401, the same whatever is wrong, and 404 where there is no graph."""
    if not has_graph(kernel.settings):
        raise _none()
    claim = verify(bearer, _secrets(kernel.settings))
    if claim is None:
        raise unauthenticated()
    with kernel.database.read() as connection:
        ids = (claim.space_id, claim.subscription_id, claim.source_id, claim.person_id)
        found = working_at(connection, *ids, via)
    if found is None or found.epoch != claim.epoch:
        raise unauthenticated()
    return found


def scope_of(workspace: Principal) -> Scope:
    """Whose graph a workspace opens: nothing else says it."""
    assert workspace.subscription_id is not None
    assert workspace.person_id is not None
    return Scope(workspace.space_id, workspace.subscription_id, workspace.id, workspace.person_id)


def by_of(workspace: Principal, conversation_id: str | None) -> By:
    """A workspace as who does something, from that conversation if it is known."""
    return By(workspace.actor, workspace.via, conversation_id, epoch=workspace.epoch)


def token_of(kernel: Kernel, connection: Connection, seat: Seat) -> str | None:
    """The token of a member's workspace; None where there is no graph. Raises 404 for who is no member any more."""
    secret = kernel.settings.mcp_token_secret
    if secret is None:
        return None
    epoch = epoch_of(connection, seat)
    claim = Claim(seat.space_id, seat.subscription_id, seat.source_id, seat.person_id, epoch)
    return mint(_bytes(secret), claim)


def show_token(kernel: Kernel, principal: Principal, called: Called) -> Shown:
    """The token of the seat that is named, for whoever may provision it. Raises 403, 404, and 422 for no member."""
    allow(principal, "workspaces")
    with kernel.database.read() as connection:
        seat = seat_named(connection, principal.space_id, called)
        token = token_of(kernel, connection, seat)
    if token is None:
        raise _none()
    objects = {"subscription_id": seat.subscription_id, "person_id": seat.person_id}
    receipt = Receipt(
        "workspace.read",
        principal.actor,
        principal.via,
        agent=seat.source_id,
        objects=objects,
        detail={"read": "token"},
    )
    return Shown(token, seat, record_read(kernel.writer, seat.space_id, receipt))


def _secrets(settings: Settings) -> list[bytes]:
    """The secrets whose tokens are taken: the present one and, while it is named, the one before."""
    named = (settings.mcp_token_secret, settings.mcp_token_secret_previous)
    return [_bytes(secret) for secret in named if secret is not None]


def _bytes(secret: SecretStr) -> bytes:
    return secret.get_secret_value().encode()


def _none() -> Refusal:
    return Refusal("not_found", "There is no memory graph here: the operator sets TARIMBA_MCP_TOKEN_SECRET.")
