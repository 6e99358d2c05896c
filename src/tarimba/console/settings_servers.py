"""The servers that this one asks: the detectors of personal data and the model, each with a test of now."""

from __future__ import annotations

from typing import Any, Final

from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.console.settings import tabs
from tarimba.distill import service as distill
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data

_PATH: Final = "/settings/servers"


def _servers(kernel: Kernel, visit: Visit, tried: dict[str, Any]) -> Html:
    options = kernel.settings
    values: dict[str, Any] = {
        "detectors_url": options.detectors_url or "",
        "llm_url": options.llm_url or "",
        "llm_model": options.llm_model,
        "embedder": options.embedder or "",
        "detectors": None,
        "model": None,
        "tabs": tabs(visit),
    }
    return Html("settings_servers.html", values | tried)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _servers(kernel, visit, {})


def _test(kernel: Kernel, visit: Visit) -> Shown:
    """Asks one of them something harmless, and shows what came of it."""
    which = visit.form.choice("server", ("detectors", "model"), "detectors")
    probe = personal_data.probe if which == "detectors" else distill.probe
    return _servers(kernel, visit, {which: probe(kernel, visit.principal)})


PAGES: Final = (
    Page("GET", _PATH, _show, "settings"),
    Page("POST", _PATH, _test, "settings"),
)
