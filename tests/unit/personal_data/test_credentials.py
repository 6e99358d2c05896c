"""Passwords, codes and keys: found wherever somebody says them, and not where somebody only speaks of them."""

import pytest

from tarimba.personal_data.credentials import find_credentials

FOUND = {
    "minha senha é abc123": "password", "the password is hunter2": "password", "senha: gato": "password",
    "my password for the portal is tulip": "password", "contraseña es Perro77": "password",
    "Senha:\n  Gato!1": "password", "pwd=xyz!2": "password", "pin 4821": "password",
    "o código de verificação é 482913": "password", "your verification code is 123 456": "password",
    r'{"said": "minha senha \u00e9 gato77"}': "password", "<b>senha</b>: gato7": "password",
    "ｓｅｎｈａ： gato7": "password", "cvv 123": "cvv", "CVC2: 1234": "cvv",
    "código de segurança do cartão: 456": "cvv", "what is the security code? 999": "cvv",
    "sk-abcdEFGH12345678": "secret", "AKIAIOSFODNN7EXAMPLE": "secret", "api_key=abcd1234efgh": "secret",
    "Authorization: Bearer abcdefghijklmnop": "secret", "https://user:pa55word@host.example/x": "secret",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a": "secret", "client secret is 8f3a9c21bb": "secret",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----": "secret",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl": "secret",
    "tar_sk_live_0123456789abcdef_abcdefghijklmnopqrstuvwxyzABCDEF": "secret",
}  # fmt: skip
CLEAN = (
    "esqueci minha senha", "A senha é enviada por e-mail", "password is wrong", "A senha é necessária",
    "código de rastreio 12345", "the token was issued", "sku-12 and pk_1", "a chave da porta", "secure checkout",
    "segurança em primeiro lugar 2024",
)  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), FOUND.items())
def test_what_lets_somebody_in_is_found(text: str, kind: str) -> None:
    assert kind in {finding.kind for finding in find_credentials(text)}


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_speaks_of_it_is_left_alone(text: str) -> None:
    assert list(find_credentials(text)) == []


def test_the_value_is_what_is_found() -> None:
    text = "Oi! Minha senha é Girassol#9, pode entrar"
    (finding,) = find_credentials(text)
    assert text[finding.start : finding.end].startswith("Girassol#9")


@pytest.mark.parametrize(
    "unit", ["senha ", "password a a ", "-----BEGIN PRIVATE KEY-----", "a:b", "pin -", "eyJa."]
)
def test_a_hostile_text_is_looked_through(unit: str) -> None:
    for finding in find_credentials((unit * 20_000)[:20_000]):
        assert 0 <= finding.start < finding.end <= 20_000
