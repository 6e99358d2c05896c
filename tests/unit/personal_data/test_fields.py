"""The fields of a note alone and together, ids, and what a verdict says."""

import pytest

from tarimba.personal_data.detectors import FINDINGS_MAX, Detectors
from tarimba.personal_data.model import FieldFinding, Finding, Verdict, merged
from tests.unit.personal_data.sets import detectors


def _places(verdict: Verdict) -> set[tuple[str, str, int, int]]:
    return {(f.field, f.kind, f.start, f.end) for f in verdict.findings}


def test_each_field_is_checked_and_named() -> None:
    note = {
        "title": "ligar 11 98765-4321",
        "body": "CPF 529.982.247-25",
        "tags": ["invoice", "a.b", "cpf:52998224725"],
    }
    assert _places(detectors().check(note)) == {
        ("title", "phone", 6, 19),
        ("body", "cpf", 4, 18),
        ("tags[2]", "cpf", 4, 15),
    }


def test_a_phone_split_over_title_and_body_is_found_in_both() -> None:
    verdict = detectors().check({"title": "Ligar 11 98765", "body": "4321 se a nota não sair", "tags": []})
    assert _places(verdict) == {("title", "phone", 6, 14), ("body", "phone", 0, 4)}


def test_a_phone_split_over_title_and_tags_is_found_around_the_body() -> None:
    body = "Se a nota não sair, seguir o passo da fila e aguardar o retorno do banco antes de reenviar."
    verdict = detectors().check({"title": "ligar 11 98765", "body": body, "tags": ["4321"]})
    assert _places(verdict) == {("title", "phone", 6, 14), ("tags[0]", "phone", 0, 4)}


def test_a_number_split_over_tags_is_found() -> None:
    verdict = detectors().check(
        {"title": "x", "body": "Ver o CPF nas etiquetas", "tags": ["529", "982", "24725"]}
    )
    assert {f.field for f in verdict.findings} == {"tags[0]", "tags[1]", "tags[2]"}


def test_an_address_cut_inside_a_word_is_found() -> None:
    verdict = detectors().check({"title": "Contato maria.souza@gma", "body": "il.com para a segunda via"})
    assert {f.field for f in verdict.findings} == {"title", "body"}


def test_a_cue_in_the_title_names_the_number_that_starts_the_body() -> None:
    assert detectors().check({"title": "CPF", "body": "12345678901 não confere"}).kinds == ("cpf",)


def test_a_long_body_is_joined_at_both_ends() -> None:
    filler = "o passo seguinte vale para todas as filas. " * 40
    start = detectors().check({"title": "ligar 11 98765", "body": f"4321. {filler}"})
    end = detectors().check({"title": "x", "body": f"{filler}ligar 11 98765", "tags": ["4321"]})
    assert ("body", "phone", 0, 4) in _places(start)
    assert ("tags[0]", "phone", 0, 4) in _places(end)


def test_numbers_of_separate_fields_are_not_glued_into_one() -> None:
    note = {"title": "Erro 1042 na fila 11", "body": "98 pedidos, 7654 itens, lote 321", "tags": ["v2", "q3"]}
    assert detectors().check(note).clean


def test_a_clean_verdict() -> None:
    verdict = detectors().check({"title": "Fila", "body": "Reabre às 6h.", "tags": ("erp",)})
    assert verdict.clean
    assert verdict.kinds == ()
    assert verdict.version == detectors().version


def test_kinds_are_sorted_and_each_once() -> None:
    body = "11 98765-4321, 11 98765-4322, a@b.com, 529.982.247-25"
    assert detectors().check({"body": body}).kinds == ("cpf", "email", "phone")


def test_a_verdict_keeps_no_value_and_no_layer() -> None:
    (finding,) = detectors().check({"body": "CPF 529.982.247-25"}).findings
    assert finding == FieldFinding("body", "cpf", 4, 18)
    assert not hasattr(finding, "layer")


def test_a_flood_of_findings_is_cut_for_a_note_and_not_for_a_mask() -> None:
    flood = "a@b.com " * (2 * FINDINGS_MAX)
    assert len(detectors().check({"body": flood}).findings) == FINDINGS_MAX
    assert len(detectors().spans(flood)) == 2 * FINDINGS_MAX


def test_overlapping_findings_become_one_under_the_first_kind() -> None:
    found = [Finding("cpf", 4, 9, "a"), Finding("phone", 2, 6, "b"), Finding("email", 20, 22, "a")]
    assert merged(found) == (Finding("cpf", 2, 9, "a"), Finding("email", 20, 22, "a"))
    assert merged(merged(found)) == merged(found)


PERSONAL_IDS = """
    5511987654321@c.us 5511987654321 +5511987654321 11987654321 1133334444 52998224725 529.982.247-25 someone@x.com.br
    5511987654321-1612345678@g.us wa_5511987654321 whatsapp:+5511987654321 447911123456 14155552671 4155552671
    34612345678 5491123456789@s.whatsapp.net cpf-52998224725 conv:11987654321 11222333000181 078-05-1120
""".split()

NEUTRAL_IDS = """
    123e4567-e89b-42d3-a456-426614174000 conv-2024-000123 01ARZ3NDEKTSV4RRFFQ69G5FAV task_20261130_0001 ticket-12345
    1796029200123 1796029200 2026-11-30T10:15:32Z conv_9f86d081884c7d65 INC0012345678 chat/42 1234567890123456789
    1712345678.123456 support-queue 20261130101532 6543210 conv-20241130-000123 8f14e45fceea167a5a36dedd4bea2543
""".split()


@pytest.mark.parametrize("value", PERSONAL_IDS)
def test_an_id_that_is_somebodys_is_flagged(value: str) -> None:
    assert detectors().flags(value)


@pytest.mark.parametrize("value", NEUTRAL_IDS)
def test_an_id_of_a_system_is_not(value: str) -> None:
    assert not detectors().flags(value)


def test_a_uuid_is_nobodys_whatever_digits_chance_put_into_it() -> None:
    for last in ("ea5586956072", "a11987654321", "005511987654"):
        for value in (f"01a22cc9-e501-75f8-8409-{last}", f"01A22CC9-E501-75F8-8409-{last.upper()}"):
            assert not detectors().flags(value)
    assert detectors().flags("ea5586956072")


def test_the_version_names_the_rules() -> None:
    class Other:
        name = "other"
        signature = "other words"

    alone = Detectors.local()
    assert alone.version == Detectors.local().version
    assert len(alone.version) == 16
    assert Detectors.of(*alone.layers, Other()).version != alone.version  # type: ignore[arg-type]
