"""The description and the server agree, whatever is sent."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import negative_data_rejection

from tests.unit.http.toys import KEY, Api

TOYS = Api()
# What fails on purpose, and what speaks in streams, is not the description's to promise.
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", TOYS.app).exclude(tag=["odd", "bulk"])
# NUL is refused in every string, which a schema can't say.
SCHEMA.config.generation.update(allow_x00=False)


@SCHEMA.parametrize()
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_every_answer_is_described(case: Case[Any]) -> None:
    # Requests that lose what made them wrong on the way (an empty list in a query) would count as accepted.
    case.call_and_validate(
        headers={"Authorization": f"Bearer {KEY}"}, excluded_checks=[negative_data_rejection]
    )
