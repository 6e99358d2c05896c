"""Forms that nobody lists: numbers in pieces, spelled out, told in words, with other cues; and their look-alikes."""

import pytest

from tests.unit.personal_data.sets import rules_only

SEPARATED = {
    "cpf": "CPF{s}529{s}982{s}247{s}25|o documento veio como 529{s}982{s}247{s}25",
    "us_ssn": "SSN 531{s}48{s}2096|tax id came in as 531{s}48{s}2096",
    "pis": "o NIS do cadastro: 128{s}73409{s}56{s}0|PIS/PASEP 128{s}73409{s}56{s}0",
    "titulo_eleitor": "tit. eleit. 0243{s}9867{s}2658|título de eleitor do titular 0243{s}9867{s}2658",
    "cns": "cartão SUS 704{s}8039{s}1265{s}7130|cartao nacional conferido: 704{s}8039{s}1265{s}7130",
    "es_nie": "el NIE llegó así: Y{s}4709138{s}V|identificador Y{s}4709{s}138{s}V",
    "iban": "cuenta de abono ES45{s}7419{s}0352{s}6360{s}8317{s}4925|pasted as GB08{s}KWMB{s}407193{s}61820547",
    "uk_nino": "NI number JG{s}41{s}90{s}37{s}B|national insurance: jg{s}41{s}90{s}37{s}b",
    "passport": "passport K{s}481{s}027{s}39|travel doc, booklet no K{s}4{s}8{s}1{s}027{s}39",
    "ar_dni": "dni 31{s}408{s}276|d.n.i nro 31{s}408{s}276",
}
SEPARATORS = (" . ", "_", "/", " - ", " · ", "//")

TOLD = {
    "vehicle_plate": """
        placa r k t · 2 b 4 7|placa soletrada: R-J-K quatro D 27|plate R. J. K. 4 D 2 7|placa R-Q-K, 4, H, um-nove
        matrícula a / b / c 1 2 3 4|license plate: q w e - 4 - 5 - 6 - 7|cavalo k l m 3 c 2 1
        placa T, U, V, 5, A, 6, 7
    """,
    "us_ssn": """
        SSN five-three-one . 4 8 . 20 9 6|the social is five three one, dash, four eight, dash, two oh nine six
        heard "four two six, dash, one nine, dash, seven oh three five" on the line
        social security: five three one slash four eight slash twenty ninety six
    """,
    "us_itin": "ITIN 9 5 6 . 7 8 . 3 1 4 2|this morning 9 5 6 . 7 8 . 3 1 4 2|tax id nine five six 78 3142",
    "es_nif": """
        el documento 51,830,746 letra q|NIF 51.830.746 letra Q|NIF 5 1 8 3 0 7 4 6 - q
        su documento: 51 830 746 / letra K
        documento cinco uno ocho tres cero siete cuatro seis, letra q
    """,
    "es_nie": "identificador Y / 451 82 07 / letra D|NIE x - 1.234.567 - l|NIE: equis no, y 4 7 0 9 1 3 8 v",
    "phone": """
        que la llamen al seis cinco cuatro, treinta y dos, cero nueve, ochenta y uno
        liguem no onze, nove oito sete meia cinco, quatro três dois um
        ligar para vinte e um, nove, noventa e oito, setenta e seis, cinquenta e quatro, trinta e dois
        call her at four one five, five five five, two six seven one
        móvil seis doce, treinta y cuatro, cincuenta y seis, setenta y ocho
        telefone: onze traço nove oito sete seis cinco traço quatro três dois um
        phone: seven one eight, two three four, double five nine oh|whatsapp 1 1 . 9 8 7 6 5 . 4 3 2 1
    """,
    "cpf": """
        CPF cinco dois nove, nove oito dois, dois quatro sete, traço, dois cinco
        cpf: 529 ponto 982 ponto 247 traço 25|529 . 982 .\n  247 (traço) 25
        cinco dois nove ponto nove oito dois ponto dois quatro sete traço dois cinco
        CPF 5 2 9 . 9 8 2 . 2 4 7 - 2 5|CPF do titular: 529982247 barra 25|CPF 529 e 982 247 hífen 25
    """,
    "cnpj": """
        filial 41 873 065 barra 0002 00|cnpj 41.873.065 barra 0002 traço 00|7K . Q3M . 9XB\n/ 0001 - 82
        CNPJ 11 222 333 barra 0001 hífen 81
    """,
    "rg": "identidade 41 . 236 . 816 - x ssp / sp|RG 41 . 236 . 816 - 3",
    "cnh": "hab. 0483 7196 411|CNH 0483-7196-411|carteira de motorista 04.83.71.96.411",
    "pix_key": """
        chave aleatória: 9F3C71AE 4B0D 4E62 A815 D07C26B98E14
        clave aleatoria 9f3c71ae_4b0d_4e62_a815_d07c26b98e14
    """,
    "bank_account": """
        BCO 748, AG ZERO 7 1 8, CTA 2.9 4 0 6 = DV 3|ag. 3127(dv 4) op 013 cta 00.048.210 díg X
        banco 341 agência 0417 conta 5.6 7 8 9-0|bank 021 branch 0417, acct 5 6 7 8 9 0|ag 0417 / cta 56 789 - 0
        sucursal 0417, cuenta 56.789.012
    """,
    "email": """
        h.lindqvist (at) cobaltferry (dot) io. Normalize both
        devoluciones ARROBA tiendamaguey PUNTO mx. Quitar el 1
        lucero.abrantes (arroba) correonube (punto) com (punto) ar, porque
        MARINA ARROBA CAIXAPOSTAL PONTO COM PONTO BR
        marina.t arroba caixapostal ponto com ponto br. Depois|h lindqvist [at] cobaltferry [dot] com, then wait
        write to hl AT cobaltferry DOT com. It bounced|lucero @ correonube . com . ar, ayer
        hl {at} cobaltferry {dot} dev
        lucero (ARROBA) correonube.es. Luego|escreva p/ marina_t (arroba) caixapostal (ponto) com
        hl(at)cobaltferry(dot)org
    """,
}

BIRTHS = """
    born on the 9th of Feb. '79|born the ninth of February, nineteen seventy-nine|DOB 9 Feb '79|born Feb. 9, '79
    nascida aos doze de maio de dois mil e dezenove|veio ao mundo em sete de março de mil novecentos e setenta e um
    nascido a 7 de março de mil novecentos e setenta e um|nasceu no dia sete de março de 1971
    nació el siete de marzo de mil novecientos setenta y uno|nacida el doce de mayo de dos mil diecinueve
    fecha de nacimiento: doce de mayo de 1984
    vino al mundo el treinta y uno de enero de mil novecientos noventa y dos
    the date of birth was next: the eleventh of February, nineteen seventy-four|born twenty-first of June 1988
    birthday: March the third, nineteen ninety|DOB: twelfth of may two thousand and one
    born May twelve, two thousand
    nascimento: primeiro de janeiro de mil novecentos e noventa|nascimento trinta e um de dezembro de 1990
    data de nascimento - vinte e dois de abril de dois mil|nasc. 3 de ago. de mil novecentos e oitenta
    nacimiento: 3 de agosto de mil novecientos ochenta|nacido un 3 de agosto del 80
    nació en agosto, el 3 de ago. de 1980
    born in Leeds on the 3rd of August, 1980|came into the world on the third of August nineteen eighty
    nasceu em vinte e cinco de dezembro de mil novecentos e oitenta e cinco|d.o.b. the 1st of Oct '65
"""

HARMLESS = """
    travel doc upload fails for file K_2024_10_17.pdf|social login returned 531 48 2096 rows
    DOB rule changed on the 9th of Feb. '25
    campo nascimento vale desde 3 de março de dois mil e vinte
    nacimiento: la regla rige desde el siete de marzo de dos mil diez
    banco de dados: conta 12345 registros|bank holiday: account team works 1.2.3.4.5|identidade visual 41.236.816 cores
    dni: campos 1, 2, 3, 4, 5, 6, 7|RG nas telas 4, 5, 6, 7, 8, 9, 10|rg -n "x" em 3 pastas
    patente de invenção, 3 figuras
    dni 2/2, 100.0% (34 of 44)|plates: 100 of 200 read|matrícula de 1234 alunos|cartão de 4 linhas, 3 cores, 2 lados
    conta 4 itens, 5 linhas e 6 colunas|cuenta 10 / 20 / 30 ventas|registro 04837196411 da fila
    telefone aparece na tela 11, linha 98
    o período é doze de maio a vinte de junho|the ninth of February is a holiday
    vigente desde sete de março de dois mil e vinte
    deploy on the 9th of Feb. '25|contrato de doze de maio de dois mil e dezenove
    fundada em mil novecentos e setenta e um
    release of May twelve, two thousand|desde el tres de agosto de mil novecientos ochenta rige la ley
    nasceu a ideia do painel
    born out of a refactor in v2.9.79|the service was born slow|el proyecto nació con 3 módulos y 7 nodos
    CHG 418-27-0093 was rejected|PN 771-20-4418-B fails|PMT JG4190-37|case SR 531-48-2096 is closed
    X\x58X-XX-#### is the mask
    X-0000000-X|ESXX XXXX XXXX XX XXXXXXXXXX|000.000.000-00|***.***.***-**|placa AAA-0000 <PLACA>|NI as AA NNNNNN A
    sete barra dois é o andar|dois ponto zero é a versão|version two point one point three
    um traço separa os campos
    barra lateral, dois botões|slash commands: one, two|ponto de venda 3|o ponto 7 da pauta
    letra a, letra b, letra c do item 2
    opção a, b, c ou d e 1, 2, 3|plan A, plan B, 3 steps|itens 1 a 7 e 9|x = 3, y = 4, z = 5|matriz a b c d 1 2 3
    linha 1, 2, 3, 4, 5, 6, 7|passos 1 - 2 - 3 - 4|9 - 5 - 6 = -2|1 . 2 . 3 capítulos|3/4/5 estrelas
    pesos 2, 4, 8, 16
    placa de rede a 1 gigabit|placa: conferir 3 vezes|matrícula abre em 14/11 e 17/11|plate count a 2 b 3
    cavalo mecânico 6x4
    guia principal 702 4419 8830 0127|protocolo 2025.0917.004318-77|boleta única: 0031 7742 9056 1180|NF 118.402
    zona 118 seção 0042|título 12/2026 vence 10/12|cartão final 4417|cartao sus: ver tela 3, campo 2
    SUS portaria 1.631/2015
    sort code 00-00-00|ag. central, op 13|conta contábil 1.1.02.001|banco 341: posições 018-022
    cta cte = conta corrente
    documento 1 de 2, letra b|documento no formato A4, 300 dpi|document first, then 2 copies
    passport validity 6 months
    tax id field has 9 digits; see 40012|social login error 500|SSN mask 3-2-4|tin 9 digits|NIE: 7 cifras y 1 letra
    DNI en formato XX.X\x58X.X\x58X|NIF con 8 cifras|dni: campo 3, fila 12|identificador 12-B
    NIS ausente em 3 de 10 linhas
    RG precisa de frente e verso|identidade visual v2.1|hab. tem 2 categorias|CNH vence em 5 ou 10 anos
    booklet of 48 pages
    PIS 1,65% e COFINS 7,6%|CNPJ tem 14 posições|CPF com 11 dígitos|chave aleatória tem 36 caracteres
    IBAN has 22 in GB
    id 9f3c71ae-4b0d-4e62-a815-d07c26b98e14|trace 9F3C71AE 4B0D 4E62 A815 D07C26B98E14|pix: e2e e txid não bastam
    meet at noon, dot com era|a arroba do boi|look at the dot on the map|ponto com atraso|at acme dot works
    arroba do e-mail falta|(at) sign missing|use (dot) notation|punto de venta|el punto com no abre
    dois mil e vinte e cinco pedidos|vinte e um dias|treinta y dos nodos|twenty one days, three retries
    nineteen seventy is the epoch
    cero nueve es el turno|doble uno cierra|double check two or three times|oh one more thing
    meia hora, duas etapas
    ligar o modo dois e três|chamar a etapa três, quatro e cinco|call step one, two and three
    llamar a la función dos veces
    SKU 40117-03|lote 119876-54321|EAN 7891172004382|CEP 30421-118|remito 0004-00187732|pedido 32'845'190
    10.42.7.19:8443|2025-06-02 03:17:08,441|MAC 00:1B:44:11:3A:B7|v4.12.3|7,89117E+12|KB5034441|0x80070643
    R$ 1.234,56 e R$ 2.345,67|U$S 30'412'887 en ventas|$ 30.412.887|18,240.00 minus 15.00|-24,3 dBm|350 g x 6
    processo 0001234-56.2024.8.26.0100|NCM 9403.60.00|CFOP 5102|Lei 13.709/2018|art. 49 do CDC|RFC XAXX010101000
    sailing number 7730-4412-0968|GB-2024-KWMB-0719|ES-7419 / DE-0352|PT 2030 programme 25 calls|BR-116 km 23
    DE 10 a 18 dias, DE 2 a 3|de 12 345 678 linhas|es 45 7419|pt 50 0002|it 60 x 0542
    one nine dash two zero pages|dash seven of the board|guion bajo tres|hífen, dois espaços
    três traços e dois pontos
    seções 0042, 0043, 0044|turma A 1 B 2|quadra a, lote 3|bloco c apto 42|sala r 12|andar 3, ala k
"""


MORE = (
    ("vehicle_plate", "plate A A 1 2 3 B B"),
    ("vehicle_plate", "la patente AA·123·CD"),
    ("vehicle_plate", "matrícula 1 2 3 4 - B C D"),
    ("vehicle_plate", "placa r-j-k-4-d-2-7"),
    ("vehicle_plate", "placa R/J/K/4/D/2/7"),
    ("rg", "RG nº 32,415,778-2 emitido pela ssp"),
    ("rg", "cédula de identidade 3 2 4 1 5 7 7 8 - 2"),
    ("rg", "r.g. 32_415_778_2"),
    ("phone", "telefone 11 // 98765 // 4321"),
    ("phone", "cel (onze) 98765 4321"),
    ("phone", "whatsapp 1-1-9-8-7-6-5-4-3-2-1"),
    ("phone", "llamar al 6 5 4 . 3 2 . 0 9 . 8 1"),
    ("phone", "tel: 11=98765=4321"),
    ("phone", "call me on plus four four seven nine one one one two three four five six"),
    ("cnh", "CNH registro 0 4 8 3 7 1 9 6 4 1 1"),
    ("cnh", "carteira de habilitação 04837-19641-1"),
    ("bank_account", "ag. 0417 c/c 1 2 3 4 5 - 6"),
    ("bank_account", "cuenta 0049 / 1500 / 05 / 1234567892"),
    ("bank_account", "agência zero quatro um sete conta um dois três quatro cinco dígito seis"),
    ("iban", "IBAN DE 89 - 3704 - 0044 - 0532 - 0130 - 00"),
    ("iban", "iban es nueve uno, 2100 0418 4502 0005 1332"),
    ("iban", "iban: pt 50 / 0002 / 0123 / 1234 / 5678 / 9015 / 4"),
    ("credit_card", "tarjeta 4539_1488_0343_6467"),
    ("credit_card", "cartão: 4539,1488,0343,6467"),
    ("credit_card", "card 4 5 3 9 1 4 8 8 0 3 4 3 6 4 6 7"),
    (
        "credit_card",
        "cartão quatro cinco três nove, um quatro oito oito, zero três quatro três, seis quatro seis sete",
    ),
    ("cpf", "o CPF dele veio 529'982'247'25"),
    ("cpf", "cpf = 529:982:247:25"),
    ("cpf", "CPF 529%20982%20247%2025"),
    (
        "cpf",
        "cpf é quinhentos e vinte e nove, novecentos e oitenta e dois, duzentos e quarenta e sete, vinte e cinco",
    ),
)


def _cases(text: str) -> list[str]:
    return [case.strip() for part in text.split("|") for case in part.split("\n    ") if case.strip()]


def _separated() -> list[tuple[str, str]]:
    return [
        (kind, form.format(s=sign))
        for kind, forms in SEPARATED.items()
        for form in forms.split("|")
        for sign in SEPARATORS
    ]


def _told() -> list[tuple[str, str]]:
    return [(kind, case) for kind, text in TOLD.items() for case in _cases(text)]


@pytest.mark.parametrize(("kind", "text"), _separated())
def test_any_signs_between_the_pieces(kind: str, text: str) -> None:
    assert kind in {finding.kind for finding in rules_only().findings(text)}


@pytest.mark.parametrize(("kind", "text"), [*_told(), *MORE])
def test_spelled_out(kind: str, text: str) -> None:
    assert kind in {finding.kind for finding in rules_only().spans(text)}


@pytest.mark.parametrize("text", _cases(BIRTHS))
def test_births_in_words(text: str) -> None:
    assert "birth_date" in {finding.kind for finding in rules_only().spans(text)}


@pytest.mark.parametrize("text", _cases(HARMLESS))
def test_look_alikes_pass(text: str) -> None:
    assert rules_only().spans(text) == ()


LATER_FORMS = [
    ("pra devolver, chave dela é 7f3c1e92-4b0d-4a68-9e57-c20d81b6fa34 (aleatória)", "pix_key"),
    ("la clave es 7f3c1e92-4b0d-4a68-9e57-c20d81b6fa34, aleatoria", "pix_key"),
    ('{"debtor": "ie12aibk93115228640917"}', "iban"),
    ("nascimento dezessete do três de sessenta e quatro", "birth_date"),
    ("nasceu em doze de março de oitenta e quatro", "birth_date"),
    ("nació el dos de abril del noventa y uno", "birth_date"),
    ("born the third of May eighty-four", "birth_date"),
    ("bounced because the applicant typed 531 72 4086 with spaces", "us_ssn"),
    ("o pedido 22.333.444-5 é de quem tem o RG 11.222.333-4", "rg"),
    ("a linha (51) 99283-4716 estava no nome da mãe", "phone"),
    ("Digitei o título 1074 8362 0698 com a zona trocada", "titulo_eleitor"),
    ("não aceita permissão provisória: o registro 04817293604 aparecia como PPD", "cnh"),
    ("document number together, e.g. passport NX7R2K9L4", "passport"),
]
LATER_DECOYS = [
    "Versão 11.222.333-4 do firmware trava o modem; voltar pra 11.219.870-2.",
    "api key 7f3c1e92-4b0d-4a68-9e57-c20d81b6fa34 gerada",
    "commit ie12abcd931152286409",
    "Nasceu a regra dos dez de dez, sessenta por cento.",
    "tile 531 72 4086 of the map",
    "the member typed 12 34 5678",
]


@pytest.mark.parametrize(("text", "kind"), LATER_FORMS)
def test_more_ways_to_say_what_a_value_is(text: str, kind: str) -> None:
    assert kind in {finding.kind for finding in rules_only().spans(text)}


@pytest.mark.parametrize("text", LATER_DECOYS)
def test_more_that_only_look_like_values(text: str) -> None:
    assert not rules_only().spans(text)
