"""Workspace tokens: what one opens, and what opens nothing."""

import base64
import hashlib
import hmac
from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.graph.tokens import Claim, mint, verify

SECRET, OTHER = b"s" * 32, b"o" * 32
CLAIM = Claim("space", "subscription", "agent", "member", 7)
# Near each other on purpose: lengths that move from one id to the next are what an encoding gets wrong.
IDS = st.text(st.sampled_from("a\x00.-é"), max_size=4)
CLAIMS = st.builds(Claim, IDS, IDS, IDS, IDS, st.integers(0, 2**63 - 1))


def signed(secret: bytes, payload: bytes) -> str:
    """A token as the specification says, without the code under test."""

    def shown(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    return f"{shown(payload)}.{shown(hmac.new(secret, payload, hashlib.sha256).digest())}"


def payload_of(token: str) -> bytes:
    text = token.partition(".")[0]
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@given(CLAIMS)
def test_a_token_gives_its_claim_back_and_is_always_the_same(claim: Claim) -> None:
    token = mint(SECRET, claim)
    assert verify(token, [SECRET]) == claim
    assert token == mint(SECRET, claim) == signed(SECRET, payload_of(token))
    assert "=" not in token


@pytest.mark.promise("graph-scope")
@given(CLAIMS, CLAIMS)
def test_two_scopes_never_have_the_same_bytes(one: Claim, other: Claim) -> None:
    same = astuple(one) == astuple(other)
    assert (payload_of(mint(SECRET, one)) == payload_of(mint(SECRET, other))) == same


@given(st.binary(max_size=80))
def test_a_signed_payload_that_is_none_opens_nothing(payload: bytes) -> None:
    found = verify(signed(SECRET, payload), [SECRET])
    assert found is None or mint(SECRET, found) == signed(SECRET, payload)


@given(st.data())
def test_a_token_with_one_character_changed_or_gone_opens_nothing(data: st.DataObject) -> None:
    token = mint(SECRET, CLAIM)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from([*"Aa0-_.=", "", "é"]))
    changed = token[:at] + other + token[at + 1 :]
    assert (verify(changed, [SECRET]) is None) == (changed != token)


@pytest.mark.parametrize("claim", [replace(CLAIM, person_id="member"[:size]) for size in range(4, 7)])
def test_one_claim_has_one_token_however_else_its_payload_could_be_spelt(claim: Claim) -> None:
    token = mint(SECRET, claim)
    payload, _, signature = token.partition(".")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    # The last character has bits that no byte takes, unless the bytes end with it; padding and white space say nothing.
    spelt = [payload[:-1] + letter for letter in alphabet]
    spelt += [
        payload + "=" * (-len(payload) % 4),
        payload + "=",
        f"{payload}\n",
        payload.replace("A", "A\n", 1),
    ]
    others = {one for one in spelt if one != payload and _bytes_of(one) == payload_of(token)}
    assert len(others) >= 3
    assert not [one for one in others if verify(f"{one}.{signature}", [SECRET])]
    assert verify(f"{payload}.{signature}=", [SECRET]) is None


def _bytes_of(text: str) -> bytes | None:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text.strip()) % 4))
    except ValueError:
        return None


def test_a_token_cut_anywhere_opens_nothing() -> None:
    token = mint(SECRET, CLAIM)
    assert not [at for at in range(len(token)) if verify(token[:at], [SECRET])]


def test_only_a_secret_that_is_taken_opens() -> None:
    token = mint(SECRET, CLAIM)
    assert verify(token, []) is None
    assert verify(token, [OTHER]) is None
    assert verify(token, [OTHER, SECRET]) == CLAIM
    assert verify(signed(b"", payload_of(token)), [SECRET]) is None


def test_a_signature_for_another_claim_opens_nothing() -> None:
    mine, theirs = mint(SECRET, CLAIM), mint(SECRET, replace(CLAIM, person_id="other"))
    assert verify(f"{mine.partition('.')[0]}.{theirs.partition('.')[2]}", [SECRET]) is None


def test_what_no_token_is_like_opens_nothing() -> None:
    for text in ("", ".", "..", "a.b", "a.b.c", "!.!", "é.é", "A" * 5000, "\ud800.", "AQ.", ".AQ"):
        assert verify(text, [SECRET]) is None


def test_nothing_is_signed_with_an_empty_secret() -> None:
    with pytest.raises(ValueError, match="empty"):
        mint(b"", CLAIM)
