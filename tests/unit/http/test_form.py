"""Forms with files: read strictly, whatever stands between their parts."""

from __future__ import annotations

import pytest

from tarimba.errors import Refusal
from tarimba.http.form import PARTS_MAX, read_form, told
from tests.problems import assert_problem
from tests.unit.http.toys import SECRET, Api

LINE = "kG7"
TYPE = f"multipart/form-data; boundary={LINE}".encode()
WORD = "Xyzzyplugh"


def form(*parts: bytes, end: bytes = b"--kG7--\r\n") -> bytes:
    return b"".join(b"--kG7\r\n" + part + b"\r\n" for part in parts) + end


def part(name: str, value: bytes, *headers: str) -> bytes:
    lines = [f'Content-Disposition: form-data; name="{name}"', *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + value


FILE = part("file", b"PK\x03\x04\r\n--kG\0\xff", "Content-Type: application/zip")
GOOD = form(FILE, part("label", "ação".encode()))


def test_files_and_texts_come_as_they_were_sent() -> None:
    assert read_form(TYPE, GOOD) == {"file": b"PK\x03\x04\r\n--kG\0\xff", "label": "ação".encode()}
    assert read_form(TYPE.replace(b"kG7", b'"kG7"'), form(part("label", b""))) == {"label": b""}


BAD = {
    "nothing": b"",
    "no end": form(FILE, end=b""),
    "half an end": form(FILE, end=b"--kG7-"),
    "cut": GOOD[:60],
    "another boundary": GOOD.replace(b"kG7", b"kG8"),
    "no name": form(b"Content-Disposition: form-data\r\n\r\nx"),
    "no disposition": form(b"Content-Type: text/plain\r\n\r\nx"),
    "an attachment": form(b'Content-Disposition: attachment; name="file"\r\n\r\nx'),
    "base64": form(part("file", b"eA==", "Content-Transfer-Encoding: base64")),
    "two dispositions": form(part("file", b"x", 'Content-Disposition: form-data; name="label"')),
    "a long header": form(part("file", b"x", "X-Long: " + "x" * 9000)),
    "many headers": form(part("file", b"x", *[f"X-{at}: x" for at in range(20)])),
}


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize("case", BAD)
def test_what_is_no_whole_form_is_refused(case: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_form(TYPE, BAD[case])
    assert (refused.value.code, refused.value.status) == ("invalid_input", 400)


@pytest.mark.promise("bad-input-told")
def test_a_form_has_each_field_once_and_not_too_many() -> None:
    for body in (
        form(part(WORD, b"1"), part(WORD, b"2")),
        form(*[part(f"{WORD}{at}", b"") for at in range(PARTS_MAX + 1)]),
        form(b'Content-Disposition: form-data; name="\xff"\r\n\r\nx'),
    ):
        with pytest.raises(Refusal) as refused:
            read_form(TYPE, body)
        assert refused.value.status == 422
        assert WORD not in refused.value.detail


@pytest.mark.parametrize(
    "kind", [None, b"", b"application/json", b"multipart/form-data", b"multipart/mixed; boundary=kG7"]
)
def test_what_is_no_form_has_another_type(kind: bytes | None) -> None:
    with pytest.raises(Refusal) as refused:
        read_form(kind, GOOD)
    assert refused.value.code == "unsupported_media_type"


def test_a_form_is_told_by_its_fields_and_not_by_its_boundary() -> None:
    again = form(part("label", "ação".encode()), FILE).replace(b"kG7", b"q9")
    assert told(read_form(TYPE, GOOD)) == told(read_form(TYPE.replace(b"kG7", b"q9"), again))
    assert told({"a": b"1"}) != told({"a": b"2"}) != told({"b": b"1"})


def test_a_form_reaches_its_handler(api: Api) -> None:
    response = api.send(
        "POST", "/parcels", content=GOOD, headers={"content-type": TYPE.decode(), "if-match": '"seen"'}
    )
    assert response.status_code == 200
    (call,) = api.seen.calls
    assert (call.body.file, call.body.label) == (b"PK\x03\x04\r\n--kG\0\xff", "ação")
    assert call.if_match == '"seen"'
    assert call.given == {"file", "label"}


def test_the_same_form_is_the_same_request_whatever_its_boundary(api: Api) -> None:
    for line in ("kG7", "other"):
        headers = {"content-type": f"multipart/form-data; boundary={line}", "idempotency-key": "one"}
        api.send(
            "POST", "/parcels", content=form(FILE).replace(b"--kG7", f"--{line}".encode()), headers=headers
        )
    first, second = (call.once for call in api.seen.calls)
    assert first == second


@pytest.mark.promise("bad-input-told")
@pytest.mark.parametrize(
    ("sent", "detail"),
    [
        (form(part(SECRET, b"x")), "1 unknown field"),
        (form(part("label", SECRET.encode() * 2)), "label: must have at most 12 characters"),
        (form(part("label", b"\xff")), "label: must be text in UTF-8"),
        (form(part("label", b"x\0")), "label: holds a NUL character"),
        (form(part(SECRET, b"\xff")), "The form: must be text in UTF-8"),
    ],
)
def test_a_form_that_breaks_a_rule(api: Api, sent: bytes, detail: str) -> None:
    response = api.send("POST", "/parcels", content=sent, headers={"content-type": TYPE.decode()})
    assert assert_problem(response, "invalid_input")["detail"] == detail
    assert not api.seen.calls


def test_forms_and_what_is_no_json_are_described(api: Api) -> None:
    paths = api.send("GET", "/openapi.json", key=None).json()["paths"]["/parcels"]
    assert list(paths["post"]["requestBody"]["content"]) == ["multipart/form-data"]
    answered = paths["get"]["responses"]["200"]["content"]
    assert answered == {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
