"""What a client of either kind is set up with: the key, the address, the options, and the calls over them."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field

from tarimba.client.core import Core
from tarimba.client.errors import NotConfiguredError, TarimbaError
from tarimba.client.options import Options
from tarimba.client.transport import Address

LOCAL = "http://127.0.0.1:8750"
_log = logging.getLogger("tarimba.client")


@dataclass(frozen=True, slots=True)
class Configured:
    """Clients that share this share the cache of blocks. `problem` is why nothing can be sent, None when it can."""

    address: Address
    options: Options
    core: Core
    problem: NotConfiguredError | None = field(default=None)

    def missing(self) -> TarimbaError:
        assert self.problem is not None
        return self.problem


def configured(api_key: str | None, base_url: str | None, *, strict: bool, options: Options) -> Configured:
    """Key and address as given, else of the environment. With `strict` raises NotConfiguredError, else logs it."""
    key = api_key if api_key is not None else os.environ.get("TARIMBA_API_KEY", "")
    address = Address(base_url or os.environ.get("TARIMBA_BASE_URL") or LOCAL, key.strip())
    problem = address.problem()
    if problem is not None and strict:
        raise problem
    if problem is not None:
        _log.warning("there will be no memory: %s", problem)
    return Configured(address, options, Core(options, strict=strict), problem)
