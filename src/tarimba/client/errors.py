"""What can go wrong with a call, by code: the codes of the API and those that only a client knows.

Without `strict` a caller sees the `code` in the `error` of what a call returns; with it, these are raised.
No message holds anything that the caller sent: the API's details name fields and rules only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Facts:
    """What an answer said besides its code.

    `status` is the HTTP status or None when nothing was answered; `retry_after` is in seconds; `kinds` and
    `findings` say which kinds of personal data a refused note has and where (never what).
    """

    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None
    kinds: tuple[str, ...] = ()
    findings: Sequence[Mapping[str, Any]] = ()


_NOTHING = Facts()


class TarimbaError(Exception):
    """A call failed. `code` is stable; the message is a sentence for a person."""

    # Whether the same request may do better a moment later.
    passing = False

    def __init__(self, code: str, message: str, facts: Facts = _NOTHING) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts

    @property
    def status(self) -> int | None:
        return self.facts.status

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server wants to be asked again."""
        return self.facts.retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}"


class NotConfiguredError(TarimbaError):
    """There is no usable key or address: nothing was sent."""


class ClosedError(TarimbaError):
    """The client was closed: nothing was sent."""


class ConnectionFailedError(TarimbaError):
    """The server could not be reached, or the connection broke."""

    passing = True


class BudgetExceededError(TarimbaError):
    """The whole call took longer than its time budget."""


class BadResponseError(TarimbaError):
    """What answered does not speak this API: no JSON, wrong fields, a redirection, too long."""


class ClientFaultError(TarimbaError):
    """The client itself failed, or was given what can't be sent. `__cause__` says more."""


class AuthenticationError(TarimbaError):
    """401: the key is unknown, revoked or expired."""


class PermissionDeniedError(TarimbaError):
    """403: a scope is missing, or the note is another's."""


class NotFoundError(TarimbaError):
    """404."""


class ConflictError(TarimbaError):
    """409 and 412: the memory is off, full, or changed in between."""


class InvalidInputError(TarimbaError):
    """400, 405, 413, 415, 422, 428: the request breaks a rule, which the message names."""


class PersonalDataError(InvalidInputError):
    """422: a note with personal data was refused. `facts.kinds` and `facts.findings` say what to remove."""


class RateLimitedError(TarimbaError):
    """429."""

    passing = True


class ServerFaultError(TarimbaError):
    """500, 502, 503, 504: the server failed or is overloaded."""

    passing = True


class NotImplementedByServerError(TarimbaError):
    """501: this server can't do that yet."""


_BY_STATUS: Mapping[int, type[TarimbaError]] = MappingProxyType(
    {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        412: ConflictError,
        429: RateLimitedError,
        501: NotImplementedByServerError,
    }
)


def error_for(status: int, code: str, message: str, facts: Facts) -> TarimbaError:
    """The exception for an answer with `status` (400 or above) and the problem's `code`."""
    if code == "personal_data_in_agent_memory":
        return PersonalDataError(code, message, facts)
    fallback = ServerFaultError if status >= 500 else InvalidInputError
    return _BY_STATUS.get(status, fallback)(code, message, facts)
