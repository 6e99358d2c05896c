"""Names: the decided cases, disguises, positions, the two strictnesses, and what the shipped files give away."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files

import pytest

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.gazetteer import HEADER, Gazetteer
from tarimba.personal_data.model import Finding
from tarimba.personal_data.name_judges import FILES, Judges
from tarimba.personal_data.name_model import PRECISION_MIN, RECALL_MIN, names_of
from tarimba.personal_data.name_tokens import words_of
from tarimba.personal_data.names import Names
from tarimba.personal_data.reading import Reading, readings
from tests.unit.personal_data.sets import detectors

REFUSED = [
    "Falar com Mariana Figueiredo antes de cancelar.",
    "falar com mariana figueiredo antes de cancelar",
    "FALAR COM MARIANA FIGUEIREDO ANTES DE CANCELAR.",
    "A cliente Joana d'Arc Menezes pediu segunda via.",
    "Conforme a Dra. Queiroz, jejum de doze horas.",
    "o seu Osvaldo da portaria guarda a chave",
    "Paciente M. A. de Souza aguarda exame.",
    "O colega Everton do Suporte sabe a senha.",
    "Ask for Gregory Whitfield at the dock.",
    "The claim of Siobhan O'Malley is closed.",
    "Mrs. Blackwell prefers text messages.",
    "Preguntar por Ximena Villalobos en recepción.",
    "La señora Graciela no recibió el pedido.",
    '{"nome": "Tatiane Albuquerque"}',
    "O segredo do cofre fica com Leontina, e o do portão com Ubaldo.",
    "[10:31] tainara: reiniciei o coletor\n[10:33] bot: ok",
    "se o romildo nao liberar a balanca, chama a edilene",
    "Only Prudence can release the pallet; Prudence says Tuesday.",
    "Handover: Marisol -> Gwendolyn, nothing open.",
    '{"approver": "Bartholomew Okonjo", "limit": 500}',
    "Milagros llamó desde el depósito: faltan dos bultos.",
    "Le pregunté a Eustaquio y dijo que ya estaba.",
    "# reviewed by Anselma Trujillo\nretries: 3",
    "cliente: 佐藤花子",
    "cliente Анна Петрова",
    "paciente: علي حسن",
]

ALLOWED = [
    "O Hospital Oswaldo Cruz pede guia impressa.",
    "Entregar na Rua Augusta, esquina com a Avenida Brigadeiro Faria Lima.",
    "A filial de João Pessoa fecha ao meio-dia.",
    "Entrega em Presidente Prudente leva dois dias a mais.",
    "A Oliveira Transportes Ltda só recebe pela manhã.",
    "Johnson & Johnson e Ernst & Young usam o mesmo layout.",
    "O Jenkins para quando o disco enche.",
    "Falar com o supervisor da fila antes de reabrir.",
    "Ligar para o cliente depois das 18h.",
    "Pergunte ao titular o nome completo e a data.",
    "Ask the customer for the first name on the card.",
    "The Houston warehouse closes at noon.",
    "Calle San Martín está cortada por obras.",
    "Informar al cliente antes de cobrar.",
    "SELECT nome, cidade FROM clientes WHERE status = 'ATIVO';",
    "Traceback (most recent call last): KeyError: 'invoice'",
    "Em Abril e Maio o índice muda; em Junho volta.",
    "use {{nome_cliente}} no modelo",
    "A Doroteia (assistente virtual) não parcela; depois da Doroteia, fila geral.",
    "Cyclone Philippa is event 12; a file coded to Philippa needs photos.",
    "Nodos Ernestina, Clotilde y Ramona comparten fuente; no apagar Clotilde.",
    "ssh dalila.interno && systemctl restart dalila-api",
    "at com.acme.core.Walter.merge(Walter.kt:88)",
    "Estações sem elevador: Tobias Barreto, Inácio Monteiro (norte) e Central.",
    "Gustav is the mail microservice, not a person.",
    "Lote L14 às 7h30, doca D4, modelo G3R.",
    "IBAN ESXX XXXX XXXX XXXX só como exemplo",
    "Trocar a impressora Matilda pela Jurema; as duas são impressoras do térreo.",
]

DISGUISED = [
    "pasta mariana_figueiredo no servidor",
    "chave MarianaFigueiredo",
    "ver https://crm.local/u/mariana.figueiredo",
    "seguir @marianaribeiro no canal",
    "falar com M a r i a n a F i g u e i r e d o",
    "falar com Ma-ri-a-na Ri-bei-ro",
    "falar com M4ri4n4 R1b31r0",
    "falar com M\u200bariana Figueiredo",
    "falar com **Mari**ana **Figueiredo**",
    "falar com Mari&#97;na Figueiredo",
    "nome TWFyaWFuYSBGaWd1ZWlyZWRv",
    "/c?nome=Mariana%20Figueiredo",
    "falar com \uff2d\uff41\uff52\uff49\uff41\uff4e\uff41 Figueiredo",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_name_is_refused(text: str) -> None:
    assert "name" in detectors().check({"body": text}).kinds


@pytest.mark.parametrize("text", ALLOWED)
def test_places_companies_systems_and_roles_are_no_names(text: str) -> None:
    assert detectors().check({"body": text}).clean


@pytest.mark.parametrize("text", DISGUISED)
def test_a_name_in_disguise_is_refused(text: str) -> None:
    assert "name" in detectors().check({"body": text}).kinds


def test_a_finding_covers_the_whole_name_in_the_original_text() -> None:
    text = "Se falhar, falar com Mari&#97;na de Figueiredo hoje."
    (finding,) = detectors().spans(text)
    assert text[finding.start : finding.end] == "Mari&#97;na de Figueiredo"


def test_fields_and_tags_are_named() -> None:
    verdict = detectors().check({"title": "Fila do ERP", "body": "ok", "tags": ["erp", "mariana-figueiredo"]})
    assert [(f.field, f.kind) for f in verdict.findings] == [("tags[1]", "name")]


def test_who_wants_few_mistakes_gets_only_sure_findings() -> None:
    class Doubtful:
        name = signature = "doubtful"

        def find(self, _: Sequence[Reading], /) -> Iterator[Finding]:
            yield Finding("name", 0, 4, "doubtful", sure=False)
            yield Finding("name", 8, 12, "doubtful", sure=True)

    both = Detectors.of(Doubtful())
    strict = both.check({"body": "Rosa com Bento"}, strictness="precision")
    assert [(f.start, f.end) for f in strict.findings] == [(8, 12)]
    assert len(both.check({"body": "Rosa com Bento"}).findings) == 2
    assert len(both.spans("Rosa com Bento")) == 2


def test_each_layer_works_without_the_other() -> None:
    text = "A cliente Mariana Figueiredo pediu segunda via."
    for layer in (Names(model=False), Names(lists=False)):
        found = list(layer.find(readings(text)))
        assert {finding.kind for finding in found} == {"name"}
        assert {finding.layer for finding in found} == {layer.name}


def test_without_the_model_the_version_differs() -> None:
    assert Detectors.local(model=False).version != Detectors.local().version


def test_tags_give_places_and_scores() -> None:
    text = "Ask for Gregory Whitfield at the dock."
    ((start, end, score),) = Names().tag(text)
    assert text[start:end] == "Gregory Whitfield"
    assert RECALL_MIN <= score <= 1


KNOWN = Gazetteer.shipped()


@pytest.mark.parametrize(
    ("text", "probability", "least"),
    [
        ("falou com Mariana hoje", 0.44, 0.0),
        ("falou com Mariana hoje", 0.45, RECALL_MIN),
        ("falou com Mariana hoje", 0.75, PRECISION_MIN),
        ("falou com Mariana Figueiredo hoje", 0.15, RECALL_MIN),
        ("falou com Mariana Figueiredo hoje", 0.4, PRECISION_MIN),
        ("falou com XKQZ hoje", 0.84, 0.0),
        ("falou com XKQZ hoje", 0.85, RECALL_MIN),
    ],
)
def test_scores_of_names_of_every_kind_mean_the_same(text: str, probability: float, least: float) -> None:
    words = words_of(text, KNOWN)
    scores = [probability if shape[0] == "X" else 0.0 for shape in words.shapes]
    (name,) = names_of(words, scores)
    assert name.score >= least
    assert (name.score >= RECALL_MIN) == (least > 0)
    assert (name.score >= PRECISION_MIN) == (least == PRECISION_MIN)


def test_words_of_like_meaning_are_kin_in_every_language() -> None:
    assert KNOWN.entry("reboot").kin == KNOWN.entry("reiniciar").kin > 0
    assert KNOWN.entry("llamar").kin == KNOWN.entry("telefonou").kin > 0
    assert KNOWN.entry("mariana").kin == 0


@pytest.mark.parametrize("name", ["Nicanor", "Leandro"])
def test_a_word_is_taken_in_one_sense_over_a_text(name: str) -> None:
    """What is plainly a machine in one line is no person in the next."""
    alone = "Ask {0} before noon."
    told = alone + " Reboot {0} if the disk is full; {0} keeps its log in /var/log."
    assert not detectors().check({"body": alone.format(name)}).clean
    assert detectors().check({"body": told.format(name)}).clean


def test_two_instances_agree_and_repeat_themselves() -> None:
    text = "Falar com Mariana Figueiredo, com o Bento e com a Dra. Queiroz."
    one, other = Names(), Names()
    assert one.tag(text) == other.tag(text) == one.tag(text)
    assert one.signature == other.signature


def test_the_version_is_the_same_in_every_process() -> None:
    """Else every start would scan all stored notes again."""
    code = "from tarimba.personal_data.detectors import Detectors; print(Detectors.local().version)"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_an_empty_text_and_one_of_signs_have_no_names() -> None:
    assert Names().tag("") == []
    assert Names().tag("--- 123 ;;; \n\n") == []
    assert not detectors().spans("│ ███ ████ ███ │")


def test_the_import_loads_neither_the_table_nor_the_tagger() -> None:
    code = "import sys, tarimba.personal_data.detectors; sys.exit('pycrfsuite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_shipped_files_are_small_and_hold_no_name() -> None:
    data = files("tarimba.personal_data") / "data"
    table, *models = ((data / name).read_bytes() for name in ("gazetteer.bin", *FILES))
    assert len(table) <= 3_500_000
    assert max(map(len, models)) <= 4_300_000
    for name in (b"jucineide", b"mariana", b"figueiredo", b"siobhan", b"whitfield"):
        assert not any(name in raw.lower() for raw in (table, *models))


@pytest.mark.parametrize(
    "text",
    [
        "Cliente repete o sobrenome soletrado, W-A-C-H-H-O-L-Z, e o campo corta no hífen.",
        "May I have the last name? S-I-O-B-H-A-N",
        "she spelled it J O A N A for the clerk",
        "lo deletreó: I.Ñ.A.K.I",
    ],
)
def test_a_name_letter_by_letter_is_refused(text: str) -> None:
    assert not detectors().check({"body": text}).clean


@pytest.mark.parametrize(
    "text",
    [
        "nomes dos campos A B C D",
        "the name of the group is I/O/U/X",
        "name R.E.S.T. api",
        "A-B-C-D ok",
    ],
)
def test_letters_that_no_name_is_made_of_pass(text: str) -> None:
    assert detectors().check({"body": text}).clean


ROWS = [["w=olha", "s=x"], [], ["s=Xx", "f=50", "k=Xx300", "q-=R/Xx300"]]


def test_what_the_models_say_lies_between_them() -> None:
    data = files("tarimba.personal_data") / "data"
    raws = [(data / name).read_bytes() for name in FILES]
    alone = [Judges([raw]).persons(ROWS) for raw in raws]
    together = Judges().persons(ROWS)
    assert len(together) == len(ROWS)
    for place, said in enumerate(zip(*alone, strict=True)):
        assert min(said) - 1e-9 <= together[place] <= max(said) + 1e-9
    assert together[1] == 0


def test_a_text_in_which_nothing_may_be_a_name_has_no_scores() -> None:
    assert Judges().persons([[], []]) == [0.0, 0.0]


def test_the_models_are_part_of_the_version() -> None:
    data = files("tarimba.personal_data") / "data"
    first = (data / FILES[0]).read_bytes()
    assert Judges([first]).digest != Judges().digest


def test_a_table_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="not a gazetteer"):
        Gazetteer.read(HEADER.pack(b"????", 0))
