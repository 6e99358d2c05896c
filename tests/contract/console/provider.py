"""A small provider of OpenID Connect on loopback: what a real one checks it checks, and what it says can be bent."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

CLIENT, SECRET = "console", "a secret of the client"


@dataclass
class Provider:
    """`claims` go into every token in the place of its own. `key` signs; `published` is what it says it signs with."""

    issuer: str = ""
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "one"}))
    claims: dict[str, Any] = field(default_factory=dict)
    published: ECKey | None = None
    named: str | None = None
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    redeemed: int = 0

    def let_in(self, address: str, email: str = "owner@acme.example") -> str:
        """Somebody signs in at the page that a browser was sent to: the path and query that it is sent back to."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert address.startswith(f"{self.issuer}/authorize?")
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.asked[code] = asked | {"email": email}
        back = urlsplit(asked["redirect_uri"])
        return f"{back.path.removeprefix('/console')}?code={code}&state={asked['state']}"

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.named or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def keys(self) -> dict[str, Any]:
        return {"keys": [(self.published or self.key).as_dict(private=False)]}

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """What a code stands for, once; None for whoever may not have it."""
        asked = self.asked.pop(form.get("code", ""), None)
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '%20')}".encode()).decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or authorization != expected or challenge != asked["code_challenge"]:
            return None
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return None
        self.redeemed += 1
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": asked["email"].lower(),
            "iat": now,
            "exp": now + 300,
        }
        said |= {"nonce": asked["nonce"], "email": asked["email"], "email_verified": True}
        said |= self.claims
        return {
            "id_token": jwt.encode({"alg": "ES256", "kid": "one"}, said, self.key),
            "token_type": "Bearer",
        }


@contextmanager
def providing() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {"/.well-known/openid-configuration": provider.document, "/keys": provider.keys}
            page = pages.get(self.path)
            self._send(None if page is None else page())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._send(provider.token(form, self.headers.get("authorization", "")))

        def _send(self, said: dict[str, Any] | None) -> None:
            body = json.dumps(said or {"error": "invalid_grant"}).encode()
            self.send_response(400 if said is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
