"""The description of the API follows from the declarations."""

from typing import Any

from tarimba.errors import CODES
from tarimba.http.body import INTEGER_MAX
from tests.unit.http.toys import Api


def described(api: Api) -> dict[str, Any]:
    response = api.send("GET", "/openapi.json", key=None)
    assert response.status_code == 200
    document: dict[str, Any] = response.json()
    return document


def test_it_is_public_and_the_same_that_the_app_gives(api: Api) -> None:
    assert described(api) == api.app.openapi()


def test_every_route_is_in_it(api: Api) -> None:
    paths = described(api)["paths"]
    assert {path: sorted(paths[path]) for path in paths if path.startswith("/toys")} == {
        "/toys": ["get", "post"],
        "/toys/{toy_id}": ["get", "patch"],
        "/toys/{toy_id}/retire": ["post"],
        "/toys/newest": ["get"],
    }
    ids = [operation["operationId"] for path in paths.values() for operation in path.values()]
    assert len(ids) == len(set(ids))
    assert "post_toys_by_toy_id_retire" in ids


def test_a_query_is_described_by_its_model_without_null(api: Api) -> None:
    parameters = {each["name"]: each for each in described(api)["paths"]["/toys"]["get"]["parameters"]}
    assert parameters["limit"]["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 20,
        "title": "Limit",
    }
    assert parameters["loud"]["schema"] == {"type": "boolean", "title": "Loud"}
    assert parameters["tag"]["schema"]["type"] == "array"
    assert not any(each["required"] for each in parameters.values())


def test_whole_numbers_have_the_bounds_of_the_reader(api: Api) -> None:
    document = described(api)
    (sizes,) = (each for each in document["paths"]["/toys"]["get"]["parameters"] if each["name"] == "sizes")
    assert sizes["schema"]["items"] == {"type": "integer", "minimum": -INTEGER_MAX, "maximum": INTEGER_MAX}
    labels = document["components"]["schemas"]["Toy"]["properties"]["labels"]
    assert labels["additionalProperties"]["maximum"] == INTEGER_MAX


def test_bodies_answers_and_headers_are_described(api: Api) -> None:
    document = described(api)
    make = document["paths"]["/toys"]["post"]
    assert make["requestBody"]["required"] is True
    reference = make["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    assert document["components"]["schemas"][reference.rsplit("/", 1)[1]]["additionalProperties"] is False
    assert [each["name"] for each in make["parameters"]] == ["Idempotency-Key"]
    assert "Tarimba-Receipt" in make["responses"]["201"]["headers"]
    assert document["paths"]["/toys/{toy_id}"]["patch"]["requestBody"]["required"] is False
    newest = document["paths"]["/toys/newest"]["get"]["responses"]
    assert "content" not in newest["304"]


def test_refusals_are_described_by_the_one_shape(api: Api) -> None:
    document = described(api)
    responses = document["paths"]["/toys"]["post"]["responses"]
    assert {"400", "401", "403", "409", "413", "415", "422", "429", "503", "default"} <= responses.keys()
    assert "application/problem+json" in responses["422"]["content"]
    assert document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == sorted(CODES)


def test_only_public_routes_need_no_key(api: Api) -> None:
    paths = described(api)["paths"]
    assert paths["/healthz"]["get"]["security"] == []
    assert paths["/toys"]["get"]["security"] == [{"bearer": []}]
    assert described(api)["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
