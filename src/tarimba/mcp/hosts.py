"""Which Host and Origin a request may name. Pure.

A web page that makes its own name resolve to this machine (DNS rebinding) reaches a local server, but it can't
hide its name: the browser sends it in these headers.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from tarimba.errors import Refusal

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_EVERYWHERE: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, never listened on
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?")
_ORIGIN: Final = re.compile(rf"https?://{_HOST.pattern}")


class Names:
    """The names by which this server may be called: loopback, what it listens on, and its public address.

    Ports don't count: rebinding changes what a name means, not to which port it leads.
    """

    def __init__(self, listens_on: str, public_url: str | None) -> None:
        own = {listens_on if ":" not in listens_on else f"[{listens_on}]"} - _EVERYWHERE - {"[::]"}
        public = urlsplit(public_url).hostname if public_url else None
        if public:
            own.add(f"[{public}]" if ":" in public else public)
        self._names = _LOOPBACK | {name.lower() for name in own}

    def check(self, host: str, origin: str | None) -> None:
        """Raises `invalid_input` with status 421 for a foreign Host, 403 for a foreign Origin."""
        if not self._knows(_HOST, host):
            raise Refusal(
                "invalid_input",
                "Host: must be an address of this server. The operator names the one that clients use in "
                "TARIMBA_PUBLIC_URL.",
                status=421,
            )
        if origin is not None and not self._knows(_ORIGIN, origin):
            raise Refusal("invalid_input", "Origin: must be an address of this server.", status=403)

    def _knows(self, form: re.Pattern[str], value: str) -> bool:
        match = form.fullmatch(value.lower())
        return match is not None and match[1] in self._names
