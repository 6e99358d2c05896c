"""Every case that was decided once: what counts as personal data, and what looks like it and doesn't."""

import pytest

from tests.unit.personal_data.sets import detectors

VALID_CPF = "52998224725"
WRONG_CPF = "52998224700"
MOBILE = "11987654321"
UUID = "123e4567-e89b-42d3-a456-426614174000"

REFUSED = [
    # An e-mail is refused wherever it points.
    ("email", "write to someone@example.com"),
    ("email", "the sender is billing@empresa.com.br"),
    ("email", "nos testes use user@example.org"),
    ("email", "mandar para maria.souza@xn--caf-dma.com.br"),
    # CNPJ, also with letters.
    ("cnpj", "fornecedor 11.222.333/0001-81"),
    ("cnpj", "fornecedor 11222333000181"),
    ("cnpj", "CNPJ 12.ABC.345/01DE-35"),
    # CPF with its punctuation, whatever its digits.
    ("cpf", "documento 529.982.247-25"),
    ("cpf", "documento 529.982.247-00"),
    ("cpf", "protocolo 529.982.247-00"),
    # Eleven digits: valid, shaped as a mobile number, or named.
    ("cpf", f"buscar {VALID_CPF} no cadastro"),
    ("cpf", f"CPF {WRONG_CPF}"),
    ("cpf", f"o cpf do cliente é {WRONG_CPF}"),
    ("phone", f"retornar {MOBILE} hoje"),
    ("phone", f"o pedido dele: telefone {MOBILE}"),
    ("cpf", f"protocolo do cliente com CPF {VALID_CPF}"),
    # Six digits of a CPF still tell a person.
    ("cpf", "CPF ***.982.247-**"),
    # A UUID is a Pix key if the text says so.
    ("pix_key", f"chave Pix do cliente: {UUID}"),
    ("pix_key", f"devolver para a chave aleatória {UUID}"),
    # Card numbers of tests.
    ("credit_card", "no sandbox use o cartão 4242 4242 4242 4242"),
    ("credit_card", "use card 378282246310005"),
]

ALLOWED = [
    # Service numbers.
    "o SAC é 0800 123 4567",
    "ligue para 0800-770-3355",
    "central 0300 115 1000",
    "ligar para 4004-3535",
    "ligar para 3003 1234",
    "call 1-800-555-0199",
    "0800 123 4567 de graça; nada de cpf no assunto",
    "CEP de destino 01234-567. Ramal da portaria 4417.",
    "the helpline is +1 (888) 280-4331",
    # Placeholders and formats.
    "CPF 000.000.000-00",
    "CPF 111.111.111-11 é recusado",
    "use {{cpf}} e {{nome_cliente}} no modelo",
    "máscara xxx.xxx.xxx-xx",
    "formato (99) 99999-9999",
    "use nome@dominio no modelo",
    # Right after an order word, whatever the digits.
    f"protocolo {VALID_CPF}",
    f"Protocolo de exemplo {VALID_CPF}",
    f"pedido nº {MOBILE}",
    f"OS {VALID_CPF} encerrada",
    f"ticket #{MOBILE}",
    f"order {MOBILE} was late",
    f"{MOBILE} (número do pedido)",
    f"pedidos {MOBILE}, {VALID_CPF} e 11987654322",
    # Eleven digits that are nothing.
    "o lote é grande: 12345678901",
    # A UUID without the words.
    f"task_id {UUID}",
    f"o txid do Pix é {UUID}",
    # The end of a card.
    "cartão final 6467 da cliente",
    "cartão **** **** **** 6467",
    # Dates and times, machines, versions.
    "vale desde 2026-11-30 e até 30/11/2026",
    "2026-11-30T10:00:00-03:00",
    "o job roda às 09:00-18:00",
    "o host 10.11.98.76 e o 192.168.100.20",
    "IPv6 2001:db8::1261:d38d",
    "versão 2026.11.30.1 e build 10.0.19045.3803",
    "hash 5f2b9d8e11c34f1298765432110aabbc",
    "commit 133d919c11314fcaaee0b7fc7d41c8ed9d26a70c",
    # Numbers of things.
    "fatura 2026078604",
    "EAN 7896315003620",
    "timestamp 1796029200 e cursor 1796029200123",
    "acima de R$ 1.234.567,89",
    "R$ 529.982.247,25",
    "CEP 13083-970",
    "rua das Flores, 123, centro",
    "chave 3526 1148 9518 3700 0495 5500 1001 8466 4565 2156 4649",
    # Machines have users too.
    "git@github.com:team/project.git",
    "postgres://app:secret@db.acme.com:5432/x",
]


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_refused(kind: str, text: str) -> None:
    assert kind in detectors().check({"body": text}).kinds


@pytest.mark.parametrize("text", ALLOWED)
def test_allowed(text: str) -> None:
    assert detectors().check({"body": text}).kinds == ()


def test_a_space_may_allow_companies() -> None:
    note = {"body": "CNPJ 11.222.333/0001-81, CPF 529.982.247-25"}
    assert detectors().check(note).kinds == ("cnpj", "cpf")
    assert detectors().check(note, allow=frozenset({"cnpj"})).kinds == ("cpf",)
