"""Whether the servers that the options name can be reached: a connection is opened and closed, and nothing is sent."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from tarimba.doctor.model import Finding, fail, ok, warn
from tarimba.settings import Settings

_SECONDS: Final = 5.0
_PORTS: Final = {"http": 80, "https": 443}


def reach(settings: Settings) -> Iterator[Finding]:
    """One finding for each server that is named. Waits at most five seconds for each step of each."""
    named = {
        "reach.detectors": settings.detectors_url,
        "reach.llm": settings.llm_url,
        "reach.oidc": settings.oidc_issuer,
        "reach.public_url": settings.public_url,
    }
    for check, url in named.items():
        if url is not None:
            yield _reached(check, url)


def _reached(check: str, url: str) -> Finding:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    # Who serves may not be reachable from the inside by the name that is outside.
    bad = warn if check == "reach.public_url" else fail
    try:
        with socket.create_connection((host, port), _SECONDS) as connection:
            if parts.scheme == "https":
                _shake_hands(connection, host)
    except ssl.SSLCertVerificationError as error:
        return bad(check, f"{host} shows a certificate that is not trusted here: {error.verify_message}.")
    except socket.gaierror:
        return bad(check, f"The name {host} is not known here: see the option and the resolver.")
    except TimeoutError:
        return bad(
            check,
            f"{host} does not answer on port {port} within {_SECONDS:.0f} s: see the firewalls between.",
        )
    except OSError as error:
        return bad(
            check, f"{host} can't be reached on port {port}: {error.strerror or type(error).__name__}."
        )
    return ok(check, f"{host} answers on port {port}.")


def _shake_hands(connection: socket.socket, host: str) -> None:
    with ssl.create_default_context().wrap_socket(connection, server_hostname=host):
        return
