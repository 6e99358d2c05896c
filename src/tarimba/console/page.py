"""What a page is: a URL, who may open it, and a function from a visit to what is shown.

A page's module declares `PAGES`. Its handlers run in a thread, call use cases of the slices and hand values to a
template; what they raise as `Refusal` becomes a page that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tarimba.console.fields import Fields
from tarimba.console.words import Speech
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import may
from tarimba.identity.sessions import Session
from tarimba.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who is signed in. `path` are the values of the URL's `{names}`.

    `form_token` goes into every form (`csrf()` in templates writes it). `is_part`: only a fragment is wanted, since a
    script of ours asked. `client` is the network address it came from. `has_keys`: letters alone are shortcuts.
    """

    session: Session
    path: Mapping[str, str]
    query: Fields
    form: Fields
    speech: Speech
    form_token: str
    client: str
    theme: str = "auto"
    is_part: bool = False
    has_keys: bool = True

    @property
    def principal(self) -> Principal:
        return self.session.principal


@dataclass(frozen=True, slots=True)
class Guest:
    """One request of somebody who is not signed in, or on a page where it does not matter."""

    path: Mapping[str, str]
    query: Fields
    form: Fields
    speech: Speech
    form_token: str
    client: str
    theme: str = "auto"
    pending: str = ""
    is_part: bool = False
    session: Session | None = None
    has_keys: bool = True


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie to set; `value` empty takes it away. `seconds` None: until the browser ends."""

    name: str
    value: str
    seconds: int | None = None
    is_readable: bool = False


@dataclass(frozen=True, slots=True)
class Html:
    """A template with its values. `heading` keys and the like are the template's."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    cookies: tuple[Cookie, ...] = ()

    @property
    def retry_after(self) -> int | None:
        """Seconds that the refusal it shows asks to wait."""
        refusal = self.values.get("refusal")
        seconds = refusal.retry_after if isinstance(refusal, Refusal) else self.values.get("retry_after")
        return seconds if isinstance(seconds, int) else None


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where the browser goes next: a path of the Console. `done` is a key of words that is shown there.

    `is_away`: to another server, at the address that `to` is then; never one that a visitor sent.
    """

    to: str
    done: str = ""
    cookies: tuple[Cookie, ...] = ()
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class Download:
    """A file, whole or piece by piece, saved under `name`."""

    content: bytes | Iterator[bytes]
    name: str
    media: str = "application/octet-stream"


Shown = Html | Redirect | Download
Handler = Callable[[Kernel, Visit], Shown]
GuestHandler = Callable[[Kernel, Guest], Shown]


@dataclass(frozen=True, slots=True)
class Page:
    """A URL of the Console. `act` is what a visitor must be allowed: a key of `GRANTS`, or some: one is enough.

    None: whoever is signed in, for their own account. A `guest` page is for people who are not signed in. `body_max`
    is the largest form in bytes.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: Handler | GuestHandler
    act: str | tuple[str, ...] | None = None
    guest: bool = False
    body_max: int = 1024 * 1024

    @property
    def acts(self) -> tuple[str, ...]:
        """Those of which one is enough; none where whoever is signed in may come."""
        if self.act is None:
            return ()
        return (self.act,) if isinstance(self.act, str) else self.act

    def is_for(self, principal: Principal) -> bool:
        """Whether somebody who is signed in may come."""
        return not self.acts or any(may(principal, act) for act in self.acts)
