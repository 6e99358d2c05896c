"""Values whose label stands farther off, in another line, in a key, in a heading or in slang; and repeated values."""

import subprocess
import sys

import pytest

from tests.unit.personal_data.sets import rules_only

PERSONAL = {
    "vehicle_plate": """
        DVLA check on EX70 WDL says SORN|ITV caducada: 3382-HZB|placas FTU-9H01 no lava-jato
        Acidente no pátio: empilhadeira bateu no Fiorino do fornecedor (FNW-4C82)|Cancela 3 não abre p/ tag do RYZ8E17
        "tô na fila, cavalo SXT2B40 e carreta antiga HQP-9931"|plates BX23 FJD, tyre bay 2|Claimant's Corsa (YJ14 OXB)
        La grúa se llevó un Clio, 0917 JRT, de la zona azul|gate_log: vehicle=QTD6F02 dock=4|moto da entrega LUK5J33
        Portaria libera só com cadastro: o Onix prata QWX4H71 do visitante ficou 2h na vaga de carga
        multa recorrida: auto 883, veículo RVB7C20, prazo 30 dias|Plate: AV71 KLP, driver refuses the weighbridge
        reg no KD68XTW failed the gate twice|patente AC 482 JT, seguro vencido|matrícula del coche 7741-LMD
        El dominio informado por el perito: AB903ZQ|bitrem obz 4417 parado na balança|Patente: FKD 482, viejo formato
        truck license plate 8KTR402, gate 3|hire car: third party DU19 XKD, ours YC66 BNV|o guincho levou a QZB1F09
        carreta placa oqw3308|semirreboque RKT-8A33|{"veiculo":{"placa":"SDF1J45"}}
        fila;placa;peso\\n12;MPB4K10;38200\\n13;LTX0A11;40100|number plate KXP 4471|la furgoneta, 4471 KLM, sin seguro
        placa na foto IXP2D90, digitada IXPZD90|vehicle reg. BD51 SMR is in bay 4
    """,
    "passport": """
        "passportNo" : "X1184022B"|documento de viaje: pasaporte AAF118402
        Hóspede holandês, doc. de viagem NP8K41R52, o hotel recusou|new passport (renewed in March) is 561208834
        Pasaporte venezolano 148820173 con prórroga|name / rank / ppt\\nx / bosun / L8840213|passprt no. 533380006
        guest's pp number is 548820173|N.º de pasaporte PAB402817|ppt no. K7204918 was misread
        Passport field rejected "L 8204417"; with L8204417 it went through|passport_number: "C03005988"
        {"kyc":"fail","doc_type":"P","doc_no":"562081944"}|traveler,passport,seat\\nx,AX4471902,14C
        FNRH pede passaporte, sem espaço. Digitaram "YB 418 2207" e falhou; com YB4182207 passou
        travel document no 7H4410298 of the crew member|passport booking has a typo; the full one: G77120438
    """,
    "uk_nino": """
        niNumber=YB118402A|NIN: YB 11 84 02 A
        pension opt-out: Nat Ins ZP402188A|employee,NI,start\\n118,ZP402188A,2025-02-01
        NINO: LX 40 21 88 D, check the suffix
        NI number of the starter: PW 58 21 09 C|HMRC letter quotes AB123456C, payroll has AB123465C
        claim_ref,nino,dob\\nBI-22904,SL603918B,04/11/1967|NI no. ends with a letter A-D. We had JK482193C
        {"employee":"E-11","ni_number":"TW402918D"}|P45 came with "CE 12 34 56 A"; HMRC wants no spaces
    """,
    "bank_account": """
        dados p/ depósito: itau 8812 04412-9|Cuenta en pesos 4011-8820/3, sucursal 118
        {"routing_number":"121000358","account_number":"000482016633"}|IFSC code and a/c 50100482016633 for refund
        Poupança 013.00044821-7 ag. 0238|s/c 40-12-09 acc 71820944, payee changed|Bco 756 / Ag 4411 / Cta 120.334-7
        CBU de destino confirmado por el cliente: 0285949554931677423634|cta cte 0004812-9 suc. 112
        La CLABE que capturó ventanilla fue 012 180 66369313905 7|wire to ABA 026009593, acct no. 8890123345
        routing is the bank's; the last one was acct # 4417820936|nro. de cuenta 191-0044871-003 en pesos
        sort code first, then account: last good example was 20-41-67 / 53918842|Sort code 60-11-22, a/c 30291847
        banco;agencia;conta;favorecido\\n237;1120;0044981-2;fornecedor|Favorecido: agência 3345-1, conta 10.227-8
    """,
    "birth_date": """
        DtNasc=1968-03-05T00:00:00|cumple el 5/3/68 según la ficha|born: 05 Mar 68
        nac. 12-dic-1957, cobertura|nascida em algum lugar, 14 de outubro de 1966|nascimetno 03/04/1981
        (dn 14/08/61), 63a
        DOB=19740225 in the feed|<birthDate value="1969-07-08"/>|fecha de nacimineto 03/04/1981
        PID|1||00918273^^^HSL^PI||X^Y||19580423|F|||
        claim,nino,dob\\nBI-22904,,04/11/1967|matricula;doc;nasc\\n2093;;22-06-58
        d.o.b. in policy system 3 Sept 1989, in the broker feed 1989-03-09|Caller's DOB on file was 03/11/1979
        nascto 05/05/1991|Data de nascimento do dependente veio 31/12/99, corrigir|Fecha de nac. 30/09/1962
        nasc no RG 10/10/1950, no sistema 10/01/1950|The date of birth we hold is 7 June 1983
    """,
    "ar_dni": """
        DNI17220481|D.N.I 17220481 ilegible
        Documento Nac. de Identidad 29440118|votante con DU 17.220.481|el afiliado (DNI 18 402 991) no figura
        Dictó "DNI 31.874.206" y lo cargué 31874206 al tercer intento|doc=38905417;mesa=1132;motivo=DNI ya cargado
        titular con DNI mal: figura 20118437, debe ser 20118473|nro_doc: 24981773, tipo_doc: DNI
        id;dni;turno\\n1;38111222;mañana|documento 33.918.204 (tarjeta) vencido
    """,
    "titulo_eleitor": """
        título nº 0345 6789 0272 (zona 41/seção 102)|TSE: inscrição eleitoral 034567890272 cancelada
        título 7267 8751 0158, zona 0112, seção 0047|O do servente: título 8279 2333 1830 zona 39 seção 112
        tít. eleitor 1023 4456 0178|título 0987 6543 0124, z. 12, s. 33|nº do título de eleitor: 0345.6789.0272
        cartório eleitoral devolveu o 034567890272
    """,
    "cnh": """
        condutor, CNH nº de registro 93114937214|carteira 34478630153 (hab. cat. E) com exame vencido
        CNH válida na data da DEVOLUÇÃO. Reg. 93114937214, cat. B|habilitação do condutor (reg 93114937214) vencida
        condutor sem foto no cadastro, só 34478630153|renach não precisa, só 34478630153
        nome;cnh;categoria\\nx;04837196411;D
    """,
    "cns": """
        nascidos no mesmo dia, cartões 705681730440665 e 700657506258479. Regra: CNS diferente nunca funde
        SUS nº705681730440665|cartão 705681730440665 (SUS)|paciente sem cadastro, 705681730440665 não abre
        leito,cns,alta\\n4,705681730440665,não
    """,
    "pis": """
        trabalhador 12873409560 sem vínculo no eSocial|CTPS digital, número 12873409560|PIS nº12873409560
        matricula;pis;cargo\\n12;12873409560;x|caged recusou o 12873409560
    """,
    "cpf": """
        no arquivo veio CPF 18532446, sem os zeros|cpf com zeros perdidos: 18532446|cpf nº52998224725
        nome;cpf;loja\\nx;529982247-25;12|CPF 529.982.247-25 recusado; com 529982247-52 também
    """,
    "us_ssn": """
        Row 118 failed with SSN 418-62-9037, went through as 418629037|last row: social sec # 418 62 9037
        soc. sec. no. 418 62 9037|SSN on the W-2 is 418629037|name,ssn,dept\\nx,418629037,7
    """,
    "credit_card": """
        corporate Amex, 3782 619991 77172, and it bounced|Visa 4539 1488 0343 6461 has a digit wrong
        Mastercard: 5425-2334-3010-9904|cartão Elo 6362 9704 5781 4039|tarjeta Visa 4539-1488-0343-6460
    """,
    "phone": """
        0044 161 496 0277|teléfono 91 448 22 05
        llámalo al 655 443 322|tel. particular 0351 155 482210|telefne 3322-1188|celualr: 41 99812 3344
        parked: +91 98457 13062 (rings out), 098220-41775 (switched off)|tlf. 963 41 27 05, o si no cogen, el otro
        office line 020 7946 0958, ask for the desk|fone res. 3322-1188|celu 351 448-2210|móvil: 655.44.33.22
        ring 0161 496 0277|avisar al 612 34 56 78|aluno;telefone;turma\\nx;41 33221188;7B
    """,
    "rg": "R.G. do responsável: 45118329|RG da mãe 45118329|identidade do aluno: 45.118.329|rg do fiador 45118329-1",
}
HARMLESS = """
    b. 12/03/1999 is the article of the statute|empenho 2025NE000118 da conta 33.90.30|el cumple de la norma 5/3/2024
    passport scanner firmware 4.11.8402|número de conta contábil 4482016|agência reguladora: resolução 4482/2016
    conta de luz 4471882-3, unidade consumidora 30118402|Agência 3021 sem sistema; chamado 4482016 aberto
    98450 12345 calls a day in the call centre|llamar a la API v2 655443322 veces no ayuda|SUS tabela 0301010072
    Vaga B12D34 do estacionamento é da carga|RENAVAM tem 11 dígitos; erro 2041
    Vehicle class M1N1, parking permit AB12-0099
    condutor de cobre 750 V, norma 13248, rolo 12873409560|cartão de ponto 700657506258479 do relógio
    NINO field must match ^[A-Z]{2}|payroll batch ref NW402188B2 closed|ppt deck v12 slide 48
    documento: 00118402, tipo NF
    fleet tariff M4 applies|zona 41, seção 102, urna 00482016|título do chamado: 0345 6789 0272|doc 1234567 foi assinado
    Pedido PED-20250114-0093 travado; lote ABC1D23 liberado depois|Modelo KLM2B19 do compressor troca a correia a 400 h
    Part AB12 CDE fits the vehicle lift; order two|Placa de captura AVC1D45 perdeu driver
    DNS: el dominio ab123cd.example no resuelve|dominio AB123CD en Active Directory
    fondo FX22 USD rinde 4%, van de vuelta
    AWS account 482910443217 holds the backups|Account number in the CRM is ACC-00129381|Account #48291044 is a sandbox
    a agência/conta como ag ****, cc *****-*. Quem estiver na 3.13.x atualiza|CP afectados: 28003, 28008, 46021
    Ticket 4417820936 was reopened after checking account sync|Sort code validation uses weights 2,1,2,1 and mod 10
    doc=4500012345;tipo=MIRO;bloqueio=R|documento de material 4900018273 estornado|doc_no 90011223 posted in 04/2025
    {"order_id":"204918337","doc_no":"900112233","ts":1739527201}|Consumer order ref 4120-8837-5510-0092 is no card
    Passport.js 0.6.0 breaks sessions|queue tickets A1234567 are printed daily at the passport office
    Motorista: rota 44810293857 fechada no TMS|título a pagar 1234 5678 9012 vence dia 10|título 000123456789 em atraso
    National Instruments card AB123456C was replaced|NI-9211 module needs DAQmx 20.1|HMRC reference 123/AB45678
    nascimento deve ser anterior a 1990-01-01 no filtro|Birth date filter: between 1950-01-01 and 1960-12-31
    WHERE dt_nascimento < DATE '1964-01-01'|data_nascimento default 1980-01-01
    loja inaugurada em 12/03/1986, aniversário
    conta;descricao;saldo\\n11210001;Clientes;1200,00|account,region,plan\\n10029384,eu-west,pro|card,limit\\nGold,5000
    fone;ramal;setor\\n;;faturamento|version 98220-41775 of the schema, call migrate twice|Batch 98220-41775 on hold
    DNI: el campo acepta 7 u 8 dígitos|expediente 38.905.417/2024 sigue en archivo|condutor elétrico, lote 88213044102
    pedido 11987654321 veio como 11987654322|Reg. 4027 of the PLC; reg 40001-40010 read only|CFOP;NCM\\n5102;84713012
"""


def _cases(text: str) -> list[str]:
    # A segment of HL7 is full of the sign that parts the cases.
    cells = [[line] if "PID|" in line else line.split("|") for line in text.split("\n")]
    return [case.strip().replace("\\n", "\n") for line in cells for case in line if case.strip()]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PERSONAL.items() for text in _cases(texts)]
)
def test_labels_farther_off(kind: str, text: str) -> None:
    assert kind in {finding.kind for finding in rules_only().spans(text)}


@pytest.mark.parametrize("text", _cases(HARMLESS))
def test_look_alikes_pass(text: str) -> None:
    assert rules_only().spans(text) == ()


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("SSN 418-62-9037 failed, 418629037 passes", "418629037"),
        ("passport K7204918 was read as K72O4918 by the scanner and then retyped", "K72O4918"),
        ("NINO JK482193C; the form says JK 48 21 93 E instead", "JK 48 21 93 E"),
        (
            "IBAN ES91 2100 0418 4502 0051 3332 sin blancos: ES9121000418450200051332",
            "ES9121000418450200051332",
        ),
        ("DNI 31.874.206 cargado como 31874206", "31874206"),
    ],
)
def test_what_a_text_repeats_is_masked_each_time(text: str, again: str) -> None:
    spans = rules_only().spans(text)
    start = text.rindex(again)
    assert any(finding.start <= start and start + len(again) <= finding.end for finding in spans)


def test_a_table_is_read_by_its_headings() -> None:
    text = "| setor | cpf | nasc |\n|---|---|---|\n| a | 52998224725 | 3/4/81 |\n| b | 15350946056 | 5/6/92 |"
    kinds = [finding.kind for finding in rules_only().spans(text)]
    assert kinds == ["cpf", "birth_date", "cpf", "birth_date"]


def test_the_rules_are_the_same_in_every_process() -> None:
    code = "from tarimba.personal_data.structured import Structured; print(Structured().signature)"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert b" at 0x" not in told.pop()
