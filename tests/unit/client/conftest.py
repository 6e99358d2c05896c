"""The kinds of client."""

import asyncio

import pytest

from tests.unit.client.scripted import Script


@pytest.fixture(params=["threads", "asyncio"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Scripts give clients of this kind, and their pauses move the script's clock alone."""
    kind: str = request.param
    monkeypatch.setattr(Script, "kind", kind)
    return kind


@pytest.fixture(autouse=True)
def _pauses_of_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client of asyncio waits by its loop: for the scripts, that is a pause like others."""
    begin, rest = Script.__init__, asyncio.sleep

    def begun(script: Script, *answers: object) -> None:
        begin(script, *answers)  # type: ignore[arg-type]

        async def paused(seconds: float) -> None:
            script.pause(seconds)
            await rest(0)

        monkeypatch.setattr(asyncio, "sleep", paused)

    monkeypatch.setattr(Script, "__init__", begun)
