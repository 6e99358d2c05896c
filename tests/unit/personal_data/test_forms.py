"""Forms of the structured kinds that people use, and forms of other things that look like them."""

import pytest

from tests.unit.personal_data.sets import detectors

PERSONAL = {
    "phone": """
        tel 0055 21 98765 4321|(021) 98765-4321|21.98765.4321|o zap dela: 9 8765-4321
        ligar para 33334444 e pedir a segunda via|call him on +44 7911 123456|phone: 07911 123456
        her cell is (415) 555-2671 x204|mobile: 4155552671|reach her at 415-555-2671
        llamar al +54 9 11 2345-6789|móvil 612 34 56 78|https://wa.me/5511987654321
        tel.: 11 3333.4444|DDD 11, depois 98765 e por fim 4321|fone 0xx31 3222-1234
    """,
    "cpf": """
        cpf=52998224725|CPF nº 529982247-25|CPF: 52.99.82.24.72.5|52998224725 (CPF do titular)
        c.p.f. 529 982 247 25|id 000052998224725|CPF ends with 247-25, starts with 529982
        GET /clientes/52998224725|documento 52742289925 ao contrário
    """,
    "rg": "RG MG-12.345.678|R.G. 12345678-X|identidade nº 1234567 SSP|RG 44.276.013-9",
    "cnh": "CNH 12345678900|carteira de motorista nº 02345678912",
    "pis": "PIS 123.45678.90-0|NIT 12345678900",
    "titulo_eleitor": "título eleitoral 1234 5678 9012",
    "cns": "cartão nacional de saúde 898001160660761|CNS 700 0000 0000 0005",
    "passport": "passport no. 533380006|pasaporte AAB123456|passaporte FD 335211",
    "credit_card": "cartão 4539/1488/0343/6467|AMEX 3782 822463 10005|4539 1488 0343 6467 4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00|iban: fr1420041010050500013m02606|GB82WEST12345698765432",
    "bank_account": """
        ag 1234 cc 12345-6|conta poupança 013.00012345-6|account number 12345678, sort code 12-34-56
        routing 021000021 account 123456789|CLABE 032180000118359719
    """,
    "us_ssn": "SSN: 078051120|219-09-9999 on file|social security no. 219 09 9999",
    "us_itin": "ITIN 912-70-1234|itin 912701234",
    "uk_nino": "NINO JG103759A|NI number: JG 10 37 59 A",
    "es_nif": "DNI 12345678Z|NIF: 12345678-Z|12345678Z figura en el contrato",
    "es_nie": "NIE X1234567L|X1234567L es su NIE",
    "ar_dni": "DNI 30.123.456|dni n° 30 123 456|DNI argentino 28456789",
    "birth_date": """
        nascido em 12/03/1984|nasc. 12 de março de 1984|DOB 03/12/1984|born on March 12, 1984
        fecha de nacimiento: 12/03/1984|data de nascimento 1984-03-12
    """,
    "vehicle_plate": "placa ABC-1234|carro BRA2E19|license plate 7ABC123|matrícula 1234 BCD",
    "email": """
        maria.souza(at)gmail.com|maria souza at gmail dot com|maria ponto souza arroba empresa ponto com
        email maria.souza@gmail,com|maria arroba hotmail|maria.souza%2540gmail.com|josé@café.com.br
    """,
}

HARMLESS = """
    ISBN 978-0-306-40615-7|Snowflake 1234567890123456789|UUID 12345678-1234-4123-8123-123456789012
    ERROR 1062 (23000): Duplicate entry '4500012345' for key 'PRIMARY'
    SELECT * FROM pedidos WHERE id IN (10298374651, 11938475610)|pesos 8 7 6 5 4 3 2 10 9 8 7 6 5 4 3 2
    regex ^[a-z]+@[a-z]+\\.com$|logo@2x.png|docs at docs.python.org explain it|siga @loja.com no painel
    latitude -23.5505199, longitude -46.6333094|3.14159265358979|processo 0001234-56.2024.8.26.0100
    boleto 34191.79001 01043.510047 91020.150008 5 91070026000|conta contábil 11210001-2
    tracking 1Z999AA10123456784|placa de rede RTL8111|modelo ABC1D23|ticket OPS-4321
    campo data_nascimento vem 1900-01-01 quando vazio|one two three four five six seven
    PIS 1,65% e COFINS 7,6%|título 123456 em aberto vence 10/12/2026|SSN must have 9 digits; error 40012
    ligar o job 20261130 às 10:00|Seattle WA 98101-4321|peça 312.475.8023|uses: actions/checkout@v4
    arn:aws:iam::123456789012:role/deploy|10.100.200.250-10.100.200.255|v12.345.678-9 do firmware
    SKU 12345678Z|lote AB123456C|RFC 7231|a arroba do boi subiu|NCM 8471.30.12|ICCID 8955031234567890123
"""


def _cases(text: str) -> list[str]:
    return [case.strip() for line in text.splitlines() for case in line.split("|") if case.strip()]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PERSONAL.items() for text in _cases(texts)]
)
def test_personal(kind: str, text: str) -> None:
    assert kind in {finding.kind for finding in detectors().spans(text)}


@pytest.mark.parametrize("text", _cases(HARMLESS))
def test_harmless(text: str) -> None:
    assert detectors().spans(text) == ()
