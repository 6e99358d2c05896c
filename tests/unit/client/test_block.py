"""`agent_memory()`: from the network, from the cache, and when the server fails."""

import httpx
import pytest

from tarimba.client import Tarimba, TarimbaError
from tarimba.client.errors import AuthenticationError, ServerFaultError
from tests.unit.client.scripted import KEY, Script, block, not_modified, problem

pytestmark = pytest.mark.usefixtures("kind")


def test_a_block_is_read_with_the_key_and_all_that_decides_it() -> None:
    script = Script(block())
    with script.client() as client:
        memory = client.agent_memory(200, ["b", "a", "b"], "task:invoice", conversation_id="c1", task_id="t1")
    assert (memory.text, memory.notes, memory.etag) == ("<agent_notes>\n...\n</agent_notes>", ("n1",), "am-1")
    assert (memory.tokens, memory.enabled, memory.left_out) == (30, True, 2)
    assert (memory.source, memory.error, memory.receipt_id) == ("network", None, "r1")
    (request,) = script.sent
    assert request.url.path == "/v1/agent-memory/block"
    assert request.url.params.multi_items() == [
        ("max_tokens", "200"),
        ("tags", "a"),
        ("tags", "b"),
        ("view", "task:invoice"),
        ("conversation_id", "c1"),
        ("task_id", "t1"),
    ]
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_a_fresh_block_answers_without_the_network() -> None:
    script = Script(block())
    with script.client() as client:
        client.agent_memory()
        script.now += 59.9
        again = client.agent_memory()
    assert (again.source, again.text) == ("cache", "<agent_notes>\n...\n</agent_notes>")
    assert len(script.sent) == 1


def test_an_old_block_is_revalidated_and_then_fresh_again() -> None:
    script = Script(block(), not_modified())
    with script.client() as client:
        first = client.agent_memory()
        script.now += 60
        second = client.agent_memory()
        script.now += 59
        third = client.agent_memory()
    assert script.headers("if-none-match") == [None, '"am-1"']
    assert [memory.text for memory in (second, third)] == [first.text] * 2
    assert (second.source, second.error, second.receipt_id) == ("cache", None, "r2")


def test_a_changed_block_replaces_the_old_one() -> None:
    script = Script(block(), block("new", "am-2"))
    with script.client() as client:
        client.agent_memory()
        script.now += 60
        changed = client.agent_memory()
    assert (changed.text, changed.source) == ("new", "network")


@pytest.mark.parametrize("other", [{"max_tokens": 500}, {"tags": ("a",)}, {"view": "task:x"}])
def test_each_question_has_a_block_of_its_own(other: dict[str, object]) -> None:
    script = Script(block(), block("other", "am-2"))
    with script.client() as client:
        client.agent_memory()
        assert client.agent_memory(**other).text == "other"  # type: ignore[arg-type]
    assert script.headers("if-none-match") == [None, None]


def test_the_order_of_tags_and_the_conversation_make_no_other_question() -> None:
    script = Script(block())
    with script.client() as client:
        client.agent_memory(tags=("a", "b"), conversation_id="c1")
        client.agent_memory(tags=("b", "a"), conversation_id="c2")
    assert len(script.sent) == 1


@pytest.mark.parametrize(
    ("failing", "code"),
    [
        (problem(500, "internal_error"), "internal_error"),
        (httpx.ConnectError("refused"), "connection_failed"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.Response(200, content=b"<html>"), "bad_response"),
        (httpx.Response(200, json={"text": 7}), "bad_response"),
        (httpx.Response(302, headers={"location": "https://elsewhere.example"}), "bad_response"),
        (httpx.Response(404, content=b"nothing here"), "http_404"),
    ],
)
def test_after_a_failure_the_last_good_block_is_served_with_the_error(
    failing: httpx.Response | Exception, code: str
) -> None:
    script = Script(block())
    with script.client() as client:
        good = client.agent_memory()
        script.now += 60
        script.then(failing)
        memory = client.agent_memory()
    assert (memory.text, memory.source, memory.error) == (good.text, "cache", code)


def test_without_a_good_block_a_failure_gives_an_empty_one() -> None:
    script = Script(problem(422, "invalid_input"))
    with script.client() as client:
        memory = client.agent_memory(7)
    assert (memory.text, memory.notes, memory.source, memory.error) == ("", (), "empty", "invalid_input")
    assert not memory


def test_a_failed_block_is_asked_for_again_at_the_next_turn() -> None:
    script = Script(problem(404, "not_found"), block())
    with script.client() as client:
        assert not client.agent_memory()
        assert client.agent_memory()


@pytest.mark.parametrize(("status", "code"), [(401, "unauthenticated"), (403, "scope_missing")])
def test_a_key_that_is_refused_reads_nothing_from_the_cache(status: int, code: str) -> None:
    script = Script(block())
    with script.client() as client:
        client.agent_memory()
        client.agent_memory(500)
        script.then(problem(status, code))
        client.search_agent_memory("anything")
        after = [client.agent_memory(), client.agent_memory(500)]
    assert [(memory.text, memory.source, memory.error) for memory in after] == [("", "empty", code)] * 2


def test_a_block_that_was_under_way_when_the_cache_was_dropped_is_not_kept() -> None:
    script = Script(block())

    def answer(request: httpx.Request) -> httpx.Response:
        client.settled.core.cache.drop()
        return script.answer(request)

    with Tarimba(KEY, "https://tarimba.example", transport=httpx.MockTransport(answer)) as client:
        assert client.agent_memory().source == "network"
        assert client.agent_memory().source == "network"


def test_off_is_an_answer_not_an_error() -> None:
    script = Script(block("", "am-off", notes=[], tokens=0, enabled=False, left_out=0))
    with script.client() as client:
        memory = client.agent_memory()
        again = client.agent_memory()
    assert (memory.enabled, memory.error, bool(memory)) == (False, None, False)
    assert (again.enabled, again.source) == (False, "cache")


def test_the_cache_does_not_grow_with_every_view() -> None:
    script = Script(block())
    with script.client() as client:
        for number in range(200):
            client.agent_memory(view=f"task:{number}")
        assert len(client.settled.core.cache._held) == 64
        client.agent_memory(view="task:199")
    assert len(script.sent) == 200


def test_strict_raises_by_code() -> None:
    script = Script(problem(401, "unauthenticated"), block(), problem(503, "unavailable"))
    with script.client(strict=True) as client:
        with pytest.raises(AuthenticationError) as refused:
            client.agent_memory()
        client.agent_memory()
        script.now += 60
        with pytest.raises(ServerFaultError):
            client.agent_memory()
    assert (refused.value.code, refused.value.status) == ("unauthenticated", 401)
    assert refused.value.facts.request_id == "q1"


@pytest.mark.parametrize("tags", [None, [1, "a"], ["\ud800"]])
def test_what_cannot_be_sent_is_an_error_too(tags: object) -> None:
    script = Script(problem(422, "invalid_input"))
    with script.client() as client:
        assert client.agent_memory(tags=tags).error is not None  # type: ignore[arg-type]
    with script.client(strict=True) as client, pytest.raises(TarimbaError):
        client.agent_memory(tags=tags)  # type: ignore[arg-type]
