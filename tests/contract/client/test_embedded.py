"""The whole service in the agent's own process, on a file."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tarimba.client import AsyncTarimba, Budgets, Options, Tarimba
from tarimba.client.errors import NotConfiguredError
from tarimba.client.integrations.notes import Notes

ROOMY = Options(budgets=Budgets(block=120, search=120, remember=120))
WRITER = Path(__file__).with_name("embedding.py")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "notes.db"
    structlog.reset_defaults()


@pytest.mark.promise("embedded-memory")
def test_notes_outlive_the_client_and_the_file_has_its_keys_beside_it(file: Path) -> None:
    others = set(threading.enumerate())
    with Tarimba.embedded(file, options=ROOMY) as memory:
        kept = memory.remember("pitfall", "Clearing takes time", "A payment shows after two days.")
        assert kept.note is not None
        assert [tool.name for tool in memory.tools(write=True)] == ["search_agent_memory", "remember"]
        with memory.conversation("c-1") as told:
            told.customer("Hello")
        assert memory.flush(60)
        assert memory.recorded.dropped == 0
    assert memory.search_agent_memory("payment").error == "closed"
    assert not [one for one in set(threading.enumerate()) - others if one.name.startswith("tarimba")]
    key = file.with_name("notes.db-data") / "keys" / "agent-agent.key"
    assert key.stat().st_mode & 0o777 == 0o600
    with Tarimba.embedded(file, options=ROOMY) as again:
        assert again.agent_memory().notes == (kept.note.note_id,)
        assert key.read_text(encoding="ascii") not in repr(again)


@pytest.mark.promise("embedded-memory")
def test_threads_loops_and_adapters_use_one_file(file: Path) -> None:
    titles = [f"Note number {number}" for number in range(12)]

    async def ask(client: AsyncTarimba) -> list[str | None]:
        found = await asyncio.gather(*(client.search_agent_memory("number") for _ in range(5)))
        return [one.error for one in found]

    with Tarimba.embedded(file, options=ROOMY) as memory:
        threads = [threading.Thread(target=memory.remember, args=("tool_note", one, one)) for one in titles]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(memory.agent_memory(2000).notes) == 12
        awaited = AsyncTarimba.over(memory)
        for _ in range(2):
            assert asyncio.run(ask(awaited)) == [None] * 5
        notes = Notes.of(awaited)
        assert notes is not None
        assert "Note number 7" in asyncio.run(notes.acompose("You help.")).text


@pytest.mark.promise("embedded-memory")
def test_a_program_of_asyncio_opens_it_too(file: Path) -> None:
    async def work() -> tuple[str, str | None]:
        async with AsyncTarimba.embedded(file, options=ROOMY) as memory:
            await memory.remember("procedure", "Close the month", "Lock the ledger first.")
            text = (await memory.agent_memory()).text
        return text, (await memory.search_agent_memory("month")).error

    text, error = asyncio.run(work())
    assert "Lock the ledger first." in text
    assert error == "closed"


@pytest.mark.promise("embedded-memory")
def test_agents_of_one_file_have_their_own_notes(file: Path) -> None:
    for agent in ("billing", "courier", "billing"):
        with Tarimba.embedded(file, agent=agent, options=ROOMY) as memory:
            memory.remember("tool_note", f"Of {agent}", "One of mine.", visibility="source")
    with Tarimba.embedded(file, agent="courier", options=ROOMY) as memory:
        assert [note.title for note in memory.search_agent_memory("mine")] == ["Of courier"]


@pytest.mark.promise("embedded-memory")
def test_two_processes_found_and_use_one_file_at_once(file: Path) -> None:
    programs = [
        subprocess.Popen(
            [sys.executable, str(WRITER), str(file), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for name in ("left", "right")
    ]
    said = [program.communicate(timeout=300) for program in programs]
    assert [(program.returncode, error) for program, (_, error) in zip(programs, said, strict=True)] == [
        (0, b"")
    ] * 2
    with Tarimba.embedded(file, options=ROOMY) as memory:
        assert len(memory.agent_memory(2000).notes) == 10


@pytest.mark.promise("embedded-memory")
def test_a_child_of_a_fork_is_told_to_open_its_own(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(WRITER), str(file), "fork"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "closed\nNone\n"), done.stderr


def test_without_the_service_a_sentence_says_what_to_install(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tarimba.embedded", None)
    with pytest.raises(NotConfiguredError, match=r'pip install "tarimba\[server\]"'):
        Tarimba.embedded(file)


def test_what_cannot_be_opened_is_told_in_a_sentence(file: Path, tmp_path: Path) -> None:
    with pytest.raises(NotConfiguredError, match="agent: use small letters"):
        Tarimba.embedded(file, agent='x"\n')
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(NotConfiguredError, match=r"The file can't be opened: "):
        Tarimba.embedded(tmp_path / "taken" / "notes.db")
    Tarimba.embedded(file, options=ROOMY).close()
    (tmp_path / "notes.db-data" / "keys" / "master.key").unlink()
    with pytest.raises(NotConfiguredError, match="master key"):
        Tarimba.embedded(file, options=ROOMY)
