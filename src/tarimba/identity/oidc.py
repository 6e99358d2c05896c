"""Coming in by a provider of OpenID Connect: the code flow with PKCE, bound to one browser by a sealed cookie.

The provider tells an address that it has verified; who has that address in a space comes in, and nobody is made.
Needs the extra `oidc`. Source: OpenID Connect Core 1.0 (3.1), Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (`iss`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from cryptography.exceptions import InvalidTag

from tarimba.clock import SECOND
from tarimba.errors import Refusal
from tarimba.exchange import Exchange, NoAnswerError, Reply
from tarimba.identity import session_store as store
from tarimba.identity.sessions import Entered
from tarimba.identity.sign_in import CodeWanted, SpaceWanted, code_wanted, come_in, other_subject, too_late
from tarimba.ids import digest, new_secret
from tarimba.kernel import Kernel
from tarimba.region import is_guarded
from tarimba.settings import Settings
from tarimba.vault import VaultError

CALLBACK: Final = "/console/oidc/callback"
KEPT_SECONDS: Final = 600
_SEAL: Final = "sign-in.oidc"
_BUDGET_SECONDS: Final = 5.0
_SKEW_SECONDS: Final = 60
# Signatures by a key that the provider publishes: none that anybody who knows our secret could make.
_ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)


@dataclass(frozen=True, slots=True)
class Leaving:
    """Where a browser goes to sign in, and what it keeps meanwhile for when it comes back."""

    address: str
    kept: str


@dataclass(frozen=True, slots=True)
class Back:
    """What the provider sent the browser back with."""

    state: str
    code: str
    error: str = ""
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Came:
    """Somebody the provider vouches for; `wanted` is the path that they had asked for."""

    came: Entered | CodeWanted | SpaceWanted
    wanted: str


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is sealed into the cookie: only the browser that left can come back, once, soon, with this very answer."""

    state: str
    nonce: str
    verifier: str
    wanted: str
    space: str
    until: int


@dataclass(frozen=True, slots=True)
class _Provider:
    """What the provider says about itself."""

    authorization: str
    token: str
    keys: str
    posts_secret: bool


def is_on(settings: Settings) -> bool:
    """Whether there is a provider to sign in by."""
    return bool(settings.oidc_issuer and settings.oidc_client_id)


def leave(kernel: Kernel, *, wanted: str = "", space: str = "") -> Leaving:
    """Sends somebody to the provider. `space` is the slug of the one to come into, where there are several.

    Raises 404 where no provider is set, and 503 when it does not answer.
    """
    _require_on(kernel)
    until = kernel.clock.now_us() + KEPT_SECONDS * SECOND
    kept = _Kept(new_secret(), new_secret(), new_secret(64), wanted, space, until)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(kept.verifier.encode()).digest()).decode().rstrip("=")
    asked = {
        "response_type": "code",
        "client_id": kernel.settings.oidc_client_id,
        "redirect_uri": kernel.settings.address + CALLBACK,
        "scope": "openid email",
        "state": kept.state,
        "nonce": kept.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = _provider(kernel).authorization
    sealed = kernel.vault.wrap(json.dumps(asdict(kept)).encode(), _SEAL)
    joint = "&" if urlsplit(address).query else "?"
    return Leaving(address + joint + urlencode(asked), base64.urlsafe_b64encode(sealed).decode())


def come_back(kernel: Kernel, kept: str, back: Back) -> Came:
    """Takes what the provider says. Raises 401 for an answer that is none, or that names nobody here, and 503."""
    _require_on(kernel)
    known = _unsealed(kernel, kept)
    if not hmac.compare_digest(known.state.encode(), back.state.encode()):
        raise too_late()
    if back.error or not back.code or back.issuer not in {"", kernel.settings.oidc_issuer}:
        raise Refusal("unauthenticated", "The sign-in provider did not let you in.")
    provider = _provider(kernel)
    claims = _claims(kernel, provider, _redeemed(kernel, provider, back.code, known), known.nonce)
    return Came(_entered(kernel, claims, known.space), known.wanted)


def _entered(kernel: Kernel, claims: Mapping[str, Any], space: str) -> Entered | CodeWanted | SpaceWanted:
    """By the subject, where somebody is bound to it already; else by the address, which binds them."""
    binding = _binding(str(kernel.settings.oidc_issuer), claims)
    with kernel.database.read() as connection:
        bound = [row for row in store.by_binding(connection, binding) if space in {"", row.space_slug}]
        spaces = {row.space_id for row in bound}
        found = [row for row in bound if row.disabled_at is None]
        if not (space and bound):
            named = store.by_email(connection, _address(claims, is_needed=not bound))
            found += [row for row in named if row.space_id not in spaces and space in {"", row.space_slug}]
    if not found:
        raise Refusal("unauthenticated", "Nobody here has the address that the sign-in provider tells.")
    free = [row for row in found if row.oidc in {None, binding}]
    if not free:
        raise other_subject()
    if len(free) > 1:
        return SpaceWanted(tuple((row.space_slug, row.space_name) for row in free))
    if free[0].totp_since is not None:
        return code_wanted(kernel, free[0], "oidc", binding)
    return come_in(kernel, free[0], "oidc", binding=binding)


def _binding(issuer: str, claims: Mapping[str, Any]) -> str:
    """What a person is bound by: providers give an address anew, a subject never (OpenID Connect Core, 2 and 5.7)."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        raise Refusal("unauthenticated", "The sign-in provider did not tell who you are.")
    return digest(json.dumps(["oidc", issuer, subject]))


def _address(claims: Mapping[str, Any], *, is_needed: bool) -> str:
    """The address, which the provider must have verified: an unverified one is whatever somebody typed there."""
    email = claims.get("email")
    is_verified = isinstance(email, str) and claims.get("email_verified") is True
    if not is_verified and not is_needed:
        return ""
    if not isinstance(email, str) or not is_verified:
        raise Refusal("unauthenticated", "The sign-in provider has not verified your e-mail address.")
    return email.strip().lower()


def _claims(kernel: Kernel, provider: _Provider, raw: str, nonce: str) -> Mapping[str, Any]:
    """What the token says, when its signature, issuer, audience, time and nonce are right."""
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    keys: Any = _fetched("GET", provider.keys)
    issuer, client_id = str(kernel.settings.oidc_issuer), kernel.settings.oidc_client_id
    rules = jwt.JWTClaimsRegistry(
        now=kernel.clock.now_us() // SECOND,
        leeway=_SKEW_SECONDS,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = jwt.decode(raw, KeySet.import_key_set(keys), algorithms=_ALGORITHMS).claims
        rules.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError):
        # What a library says about a token may quote it.
        raise Refusal(
            "unauthenticated", "What the sign-in provider says can't be relied on. Sign in again."
        ) from None
    if claims.get("azp", client_id) != client_id:
        raise Refusal("unauthenticated", "What the sign-in provider says is meant for somebody else.")
    return claims


def _redeemed(kernel: Kernel, provider: _Provider, code: str, known: _Kept) -> str:
    """The identity token that a code stands for."""
    options = kernel.settings
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": options.address + CALLBACK,
        "code_verifier": known.verifier,
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    client_id, secret = options.oidc_client_id, options.oidc_client_secret
    if secret is None or provider.posts_secret:
        sent["client_id"] = client_id
        sent |= {} if secret is None else {"client_secret": secret.get_secret_value()}
    else:
        pair = f"{quote(client_id, safe='')}:{quote(secret.get_secret_value(), safe='')}"
        headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    answer = _fetched("POST", provider.token, urlencode(sent).encode(), headers)
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise Refusal("unauthenticated", "The sign-in provider did not tell who you are.")
    return token


def _provider(kernel: Kernel) -> _Provider:
    """Asked anew at each sign-in: keys and addresses change, and people sign in seldom."""
    issuer = str(kernel.settings.oidc_issuer)
    said = _fetched("GET", issuer.rstrip("/") + "/.well-known/openid-configuration")
    places = [said.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if said.get("issuer") != issuer or not all(map(_is_safe, places)):
        raise Refusal("unavailable", "The sign-in provider is not the one that is set, or not safe to use.")
    ways = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    posts = isinstance(ways, list) and "client_secret_basic" not in ways and "client_secret_post" in ways
    return _Provider(str(places[0]), str(places[1]), str(places[2]), posts)


def _is_safe(place: object) -> bool:
    return isinstance(place, str) and is_guarded(place)


def _fetched(
    method: str, address: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The JSON object of an answer of the provider. Raises 401 for a refused code, and 503."""
    parts = urlsplit(address)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    with closing(Exchange(f"{parts.scheme}://{parts.netloc}", time.monotonic)) as exchange:
        try:
            reply = exchange.send(method, path, body, time.monotonic() + _BUDGET_SECONDS, headers or {})
        except NoAnswerError:
            raise _silent() from None
    if reply.status in {400, 401, 403}:
        raise Refusal("unauthenticated", "The sign-in provider did not take the answer. Sign in again.")
    return _object(reply)


def _object(reply: Reply) -> dict[str, Any]:
    try:
        said = json.loads(reply.body) if reply.status == 200 else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise _silent()
    return said


def _silent() -> Refusal:
    return Refusal(
        "unavailable", "The sign-in provider gives no answer. Try again, or use your password.", retry_after=5
    )


def _unsealed(kernel: Kernel, kept: str) -> _Kept:
    try:
        said = kernel.vault.unwrap(base64.urlsafe_b64decode(kept.encode()), _SEAL)
    except (VaultError, InvalidTag, ValueError):
        raise too_late() from None
    known = _Kept(**json.loads(said))
    if kernel.clock.now_us() >= known.until:
        raise too_late()
    return known


def _require_on(kernel: Kernel) -> None:
    if not is_on(kernel.settings):
        raise Refusal("not_found", "No sign-in provider is set.")
