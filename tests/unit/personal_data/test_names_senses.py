"""What a text itself calls a thing is no person in that text; a person beside it still is."""

import pytest

from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_senses import Senses, things
from tarimba.personal_data.name_tokens import words_of

KNOWN = Gazetteer.shipped()

DECLARED = [
    ("A Clarice (assistente virtual) responde sobre fatura. A Clarice não negocia.", "clarice"),
    ("Quem atende é a Beatriz, que é a URA da central.", "beatriz"),
    ("Roberta is a server; restart it after Walter.", "roberta"),
    ("Matilde goes first, Rodrigo second (both are bots).", "matilde"),
    ("Matilde goes first, Rodrigo second (both are bots).", "rodrigo"),
    ("Susana y Marcelo son impresoras viejas.", "marcelo"),
    ("Tropical Storm Gabriela passed. Gabriela had no wind excess.", "gabriela"),
    ("A Lei Henrique exige curso.", "henrique"),
    ("O servidor Patricia caiu.", "patricia"),
    ("Patricia (servidor) caiu.", "patricia"),
    ("Remedios Pedrosa ya no se venden sin receta.", "pedrosa"),
    ("kubectl rollout undo deploy/marcela-api", "marcela"),
    ("Estações fechadas: Joana Pedrosa (acesso 2), Tomás Ribeiro.", "joana pedrosa"),
    ("Estações fechadas: Joana Pedrosa (acesso 2), Tomás Ribeiro.", "tomas ribeiro"),
    ("O Hospital Fernanda e a Escola Caroline fecham.", "caroline"),
    ("Ernestina é a turbina do bloco B; Ernestina apita às seis.", "ernestina"),
    ("Gideon is the forklift of bay 4.", "gideon"),
    ("Hoy llega el Don Fermín de doce grados.", "don fermin"),
    ("Empilhar o Dona Zulmira na prateleira de cima.", "dona zulmira"),
]

PERSONS = [
    "A Clarice (loja 3) conferiu a nota.",
    "Clarice, assistente social, assinou o laudo.",
    "Roberta is the server admin.",
    "Roberta and Walter say that both queues are slow.",
    "Susana y Marcelo son del sistema viejo.",
    "O Sistema da Patricia travou.",
    "Henrique é o responsável pela fila.",
    "Cliente: Joana Pedrosa; contato: Tomás Ribeiro.",
    "O responsável é o Rodrigo e o sistema é o novo.",
    "A cliente, sra. Onyekachi, não entende a URA.",
    "Gideon is the forklift driver of bay 4.",
    "Ernestina é a agente da fila.",
    "Fale com a Dona Zulmira e depois com o seu Fermín.",
    "Joana Pedrosa, servidor público, pediu a certidão.",
    "Gideon, host of the show, called twice.",
    "Passei para Rodrigo: o servidor dele não liga.",
    "Turno de la paciente Remedios Pedrosa cambiado.",
]


@pytest.mark.parametrize(("text", "name"), DECLARED)
def test_what_a_text_calls_a_thing_is_one(text: str, name: str) -> None:
    assert name in things(words_of(text, KNOWN)).said


@pytest.mark.parametrize("text", PERSONS)
def test_a_person_is_made_no_thing(text: str) -> None:
    assert not things(words_of(text, KNOWN)).said


def test_only_the_thing_is_taken_out() -> None:
    words = words_of("O servidor Patricia caiu; a Fernanda reiniciou o Patricia.", KNOWN)
    senses = Senses(words)
    places = {low: place for place, low in enumerate(words.low)}
    assert senses.thing(places["patricia"], places["patricia"] + 1)
    assert not senses.thing(places["fernanda"], places["fernanda"] + 1)


def test_a_full_name_is_no_thing_because_of_one_word() -> None:
    words = words_of("O servidor Patricia caiu; avisar Patricia Fernandes.", KNOWN)
    places = {low: place for place, low in enumerate(words.low)}
    assert not Senses(words).thing(places["fernandes"] - 1, places["fernandes"] + 1)


@pytest.mark.parametrize("text", ["Please ship Roberta's order.", "Conta Roberta que a loja fechou."])
def test_a_verb_before_a_name_makes_no_thing_of_it(text: str) -> None:
    words = words_of(text, KNOWN)
    place = next(at for at, low in enumerate(words.low) if low.startswith("roberta"))
    assert not Senses(words).pardoned(place, place + 1)


def test_part_of_what_stands_after_a_head_is_no_person() -> None:
    words = words_of("Parar na Rua Dona Zulmira Peçanha e esperar.", KNOWN)
    places = {low: place for place, low in enumerate(words.low)}
    senses = Senses(words)
    assert senses.thing(places["pecanha"], places["pecanha"] + 1)
    assert senses.thing(places["rua"], places["pecanha"] + 1)
