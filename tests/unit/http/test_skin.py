"""The whole way of a request through the skin."""

import threading
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from structlog.testing import capture_logs

from tarimba.http.route import Route
from tarimba.http.skin import bare_app, mount
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tests.problems import assert_problem, assert_silent
from tests.unit.http.toys import CALLER, KEY, RECEIPT, SECRET, SPACE, Api, fake_kernel, routes

TOY = {"name": "trem"}


def test_a_get_reaches_its_handler_and_comes_back_as_compact_json(api: Api) -> None:
    response = api.send("GET", "/toys?limit=3&tag=a&tag=b&loud=true", headers={"If-None-Match": 'W/"x", "y"'})
    assert response.status_code == 200
    assert response.content == '{"ok":true,"shown":"ação"}'.encode()
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["tarimba-receipt"] == RECEIPT.header
    (call,) = api.seen.calls
    assert (call.query.limit, call.query.tag, call.query.loud) == (3, ["a", "b"], True)
    assert call.principal == CALLER
    assert call.if_none_match == 'W/"x", "y"'
    assert call.body is None
    assert call.request_id == response.headers["x-request-id"]


def test_handlers_run_in_the_threads_of_the_skin(api: Api) -> None:
    api.send("GET", "/toys")
    assert api.seen.threads[0].startswith("tarimba-http-")
    assert threading.current_thread().name not in api.seen.threads


def test_the_request_id_is_ours_and_never_the_callers(api: Api) -> None:
    sent = {"X-Request-Id": "caller-chosen-request-id"}
    response = api.send("GET", "/toys", headers=sent)
    assert is_id(response.headers["x-request-id"])
    assert_silent(response)
    assert api.send("GET", "/toys", headers=sent).headers["x-request-id"] != response.headers["x-request-id"]


def test_a_post_carries_its_body_and_what_of_it_was_given(api: Api) -> None:
    response = api.send("POST", "/toys", body=TOY | {"made_at": "2026-01-02T03:04:05Z"})
    assert response.status_code == 201
    assert response.headers["location"] == "/toys/1"
    assert api.seen.calls[0].given == {"name", "made_at"}


def test_literal_steps_win_over_parameters(api: Api) -> None:
    api.send("GET", "/toys/newest")
    api.send("GET", "/toys/the-one")
    assert [dict(call.path) for call in api.seen.calls] == [{}, {"toy_id": "the-one"}]


def test_304_has_no_body_and_keeps_receipt_and_etag(api: Api) -> None:
    response = api.send("GET", "/toys/newest")
    assert response.status_code == 304
    assert response.content == b""
    assert "content-type" not in response.headers
    assert response.headers["etag"] == '"am-1"'
    assert response.headers["tarimba-receipt"] == RECEIPT.header


class TestWhoAsks:
    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
    def test_the_scheme_may_be_in_any_case(self, api: Api, scheme: str) -> None:
        assert api.send("GET", "/toys", headers={"authorization": f"{scheme} {KEY}"}).status_code == 200

    @pytest.mark.parametrize(
        "header", ["", "Bearer", "Bearer ", f"Basic {KEY}", KEY, f"Bearer {KEY}x", "Bearer ação"]
    )
    def test_anything_else_is_401(self, api: Api, header: str) -> None:
        response = api.send("GET", "/toys", headers={"authorization": header})
        assert_problem(response, "unauthenticated")
        assert api.seen.calls == []

    def test_no_header_is_401(self, api: Api) -> None:
        assert_problem(api.send("GET", "/toys", key=None), "unauthenticated")

    def test_a_repeated_header_is_401(self, api: Api) -> None:
        twice = [("authorization", f"Bearer {KEY}"), ("authorization", f"Bearer {KEY}")]
        assert_problem(api.send("GET", "/toys", headers=twice), "unauthenticated")

    def test_strangers_are_told_nothing_about_bodies(self, api: Api) -> None:
        assert_problem(api.send("POST", "/toys", content="nonsense", key="x" * 30), "unauthenticated")

    def test_public_routes_ask_nobody_and_grant_nothing(self, api: Api) -> None:
        assert api.send("GET", "/healthz", key=None).status_code == 200
        caller = api.seen.calls[0].principal
        assert (caller.scopes, caller.roles, caller.space_id, caller.kind) == (
            frozenset(),
            frozenset(),
            "",
            "agent",
        )


class TestRefusals:
    def test_an_unknown_path(self, api: Api) -> None:
        for method in ("GET", "POST", "OPTIONS"):
            assert_problem(api.send(method, "/nothing/here-at-all", key=None), "not_found")

    def test_no_redirect_to_another_slash(self, api: Api) -> None:
        assert_problem(api.send("GET", "/toys/"), "not_found")

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"])
    def test_an_undeclared_method_names_all_that_are(self, api: Api, method: str) -> None:
        response = api.send(method, "/toys")
        assert response.headers["allow"] == "GET, POST"
        assert_problem(response, "method_not_allowed")

    def test_head_is_no_get(self, api: Api) -> None:
        response = api.send("HEAD", "/toys")
        assert (response.status_code, response.headers["allow"], response.content) == (405, "GET, POST", b"")

    def test_a_refusal_keeps_its_extra_members_but_not_over_the_standard_ones(self, api: Api) -> None:
        response = api.send("GET", "/limited")
        problem = assert_problem(response, "rate_limited")
        assert problem["kinds"] == ["x"]
        assert response.headers["retry-after"] == "9"

    def test_an_unexpected_error_says_nothing_and_logs_its_place(self, api: Api) -> None:
        with capture_logs() as logs:
            response = api.send("GET", "/broken")
        problem = assert_problem(response, "internal_error")
        assert SECRET not in response.text
        (failure,) = [line for line in logs if line["event"] == "http.failed"]
        assert failure["error"] == "KeyError"
        assert failure["request_id"] == problem["request_id"]
        assert failure["place"].startswith("exchange.py:_work:")
        assert SECRET not in str(logs)

    @pytest.mark.parametrize("toy_id", ["%00", "a%0Ab", "x" * 600, "%E2%80%AE"])
    def test_a_path_that_holds_no_id_is_404(self, api: Api, toy_id: str) -> None:
        assert_problem(api.send("GET", f"/toys/{toy_id}"), "not_found")
        assert api.seen.calls == []

    def test_a_body_above_the_limit(self) -> None:
        api = Api(body_max=2000)
        response = api.send("POST", "/toys", body={"name": "x" * 2000})
        problem = assert_problem(response, "too_large")
        assert "2000 bytes" in problem["detail"]
        assert response.headers["connection"] == "close"

    def test_a_body_for_a_route_without_one(self, api: Api) -> None:
        assert api.send("POST", "/toys/1/retire", body={}).status_code == 200
        assert_problem(api.send("POST", "/toys/1/retire", body={"reason": "worn-out"}), "invalid_input")

    def test_a_query_for_a_route_without_one(self, api: Api) -> None:
        problem = assert_problem(api.send("GET", "/toys/1?unheard=of-things&b"), "invalid_input")
        assert problem["detail"] == "2 unknown query parameters"

    @pytest.mark.parametrize(
        "content_type", ["text/plain", "application/jsonx", "application/json; charset=latin-1"]
    )
    def test_another_media_type(self, api: Api, content_type: str) -> None:
        response = api.send("POST", "/toys", content=b"{}", headers={"content-type": content_type})
        assert_problem(response, "unsupported_media_type")

    def test_an_absent_media_type(self, api: Api) -> None:
        response = api.send("POST", "/toys", content=b"{}", headers={"content-type": ""})
        assert_problem(response, "unsupported_media_type")

    def test_an_optional_body_may_be_absent_but_not_of_another_type(self, api: Api) -> None:
        assert api.send("PATCH", "/toys/1").status_code == 200
        assert api.seen.calls[0].given == frozenset()
        response = api.send("PATCH", "/toys/1", content=b"{}", headers={"content-type": "text/plain"})
        assert_problem(response, "unsupported_media_type")

    def test_an_empty_body_where_one_is_needed(self, api: Api) -> None:
        assert_problem(api.send("POST", "/toys", content=b""), "invalid_input", 400)


class TestOnce:
    def once(self, api: Api, url: str, key: str, body: Any = None) -> tuple[str, ...]:
        api.send("POST", url, body=body, headers={"Idempotency-Key": key})
        once = api.seen.calls[-1].once
        assert once is not None
        return once.actor, once.route, once.key_mac, once.body_mac

    def test_the_same_request_is_the_same(self, api: Api) -> None:
        assert self.once(api, "/toys", "k-1", TOY) == self.once(api, "/toys", "k-1", TOY)

    def test_the_key_the_body_and_the_target_all_count(self, api: Api) -> None:
        first = self.once(api, "/toys", "k-1", TOY)
        assert self.once(api, "/toys", "k-2", TOY)[2] != first[2]
        assert self.once(api, "/toys", "k-1", {"name": "bola"})[3] != first[3]
        one = self.once(api, "/toys/1/retire", "k-1")
        other = self.once(api, "/toys/2/retire", "k-1")
        assert one[:3] == other[:3]
        assert one[3] != other[3]

    def test_neither_key_nor_body_is_kept(self, api: Api) -> None:
        assert "k-1" not in str(self.once(api, "/toys", "k-1", TOY))

    def test_absent_or_not_honoured_gives_none(self, api: Api) -> None:
        api.send("POST", "/toys", body=TOY)
        api.send("GET", "/toys", headers={"Idempotency-Key": "k-1"})
        assert [call.once for call in api.seen.calls] == [None, None]

    @pytest.mark.parametrize("key", ["", "two words", "x" * 256, "caf\xe9-do-dia"])
    def test_a_key_of_another_form_is_refused(self, api: Api, key: str) -> None:
        response = api.send("POST", "/toys", body=TOY, headers={"Idempotency-Key": key})
        problem = assert_problem(response, "invalid_input")
        assert problem["detail"].startswith("Idempotency-Key: ")


class TestAccessLog:
    def test_one_line_with_the_template_and_nothing_that_was_sent(self, api: Api) -> None:
        with capture_logs() as logs:
            response = api.send(
                "GET", "/toys/caller-id-4711?q=queryword", headers={"If-None-Match": "etag-4711"}
            )
        (line,) = logs
        assert line.pop("duration_ms") >= 0
        assert line == {
            "event": "http.request",
            "log_level": "info",
            "method": "GET",
            "route": "/toys/{toy_id}",
            "status": 422,
            "space_id": SPACE,
            "request_id": response.headers["x-request-id"],
        }

    def test_an_unknown_path_is_not_named(self, api: Api) -> None:
        with capture_logs() as logs:
            api.send("GET", "/nothing/here-at-all")
        assert (logs[0]["route"], logs[0]["status"], logs[0]["space_id"]) == ("", 404, None)


class TestStreams:
    def test_an_import_arrives_in_pieces(self, api: Api) -> None:
        async def pieces() -> Any:
            for _ in range(3):
                yield b"x" * 1000

        response = api.send("POST", "/import", content=pieces())
        assert response.json() == {"bytes": 3000}

    def test_an_import_has_a_limit_of_its_own(self) -> None:
        api = Api(import_max=5000, body_max=1024)
        assert api.send("POST", "/import", content=b"x" * 5000).status_code == 200
        assert_problem(api.send("POST", "/import", content=b"x" * 5001), "too_large")

    def test_an_import_asks_who_comes_before_it_reads(self, api: Api) -> None:
        assert_problem(api.send("POST", "/import", content=b"x", key="tar_sk_unknown"), "unauthenticated")
        assert api.seen.chunks == []

    def test_an_export_leaves_in_pieces_from_one_thread(self, api: Api) -> None:
        response = api.send("GET", "/export?limit=2")
        assert response.content == b"[0,1,null]"
        assert "content-length" not in response.headers
        assert api.seen.threads[0].startswith("tarimba-stream-")
        assert api.seen.closed.is_set()

    def test_an_error_before_the_first_piece_is_a_problem(self, api: Api) -> None:
        response = api.send("GET", "/export/none")
        assert_problem(response, "internal_error")
        assert SECRET not in response.text


def test_the_framework_refuses_in_the_same_shape(api: Api) -> None:
    @api.app.get("/framework")
    async def framework(number: int) -> int:
        raise KeyError(SECRET) if number else KeyError

    assert_problem(api.send("DELETE", "/framework"), "method_not_allowed")
    with capture_logs() as logs:
        assert_problem(api.send("GET", "/framework?number=1"), "internal_error")
    assert SECRET not in str(logs)


def test_the_frameworks_own_pages_are_refused() -> None:
    from fastapi import FastAPI

    with pytest.raises(ValueError, match="bare_app"):
        mount(FastAPI(), fake_kernel(), [])


def test_a_route_declared_twice_is_refused(api: Api) -> None:
    with pytest.raises(ValueError, match="declared twice"):
        mount(bare_app(), fake_kernel(), [*routes(api.seen), *routes(api.seen)])


def test_a_route_may_bring_an_endpoint_of_its_own(api: Api) -> None:
    def make(_kernel: Kernel) -> Any:
        return PlainTextResponse("direct")

    route = Route("GET", "/direct", None, "Direct", "odd", "block.read", endpoint=make)
    mount(api.app, fake_kernel(), [route])
    assert api.send("GET", "/direct").text == "direct"
    assert_problem(api.send("POST", "/direct"), "method_not_allowed")


def test_a_route_that_nothing_serves_is_refused() -> None:
    with pytest.raises(ValueError, match="neither handler nor endpoint"):
        mount(bare_app(), fake_kernel(), [Route("GET", "/x", None, "Nothing", "odd", "block.read")])
