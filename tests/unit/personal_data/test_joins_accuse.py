"""A field that shows personal data by itself does not drag its innocent neighbours into the findings."""

import pytest

from tarimba.personal_data.detectors import Detectors


@pytest.mark.parametrize("tag", ["boleto", "com", "123", "ledger.post"])
def test_an_address_at_the_end_of_a_body_says_nothing_of_the_tag(tag: str) -> None:
    body = "Mande o extrato para fulano@cliente.example."
    verdict = Detectors.local().check({"title": "Mandar o extrato", "body": body, "tags": [tag]})
    assert {finding.field for finding in verdict.findings} == {"body"}


def test_a_number_that_only_the_seam_shows_is_found_in_both_fields() -> None:
    verdict = Detectors.local().check(
        {"title": "Ligar para (11) 9876", "body": "5-4321 antes das seis", "tags": []}
    )
    assert {finding.field for finding in verdict.findings} == {"title", "body"}
