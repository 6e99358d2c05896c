"""How many tokens a text costs, by a named and pinned tokenizer."""

import importlib
from functools import cached_property
from typing import Any, Protocol


class Tokenizer(Protocol):
    """Counts tokens. `name` is stored beside every count, so that a change of tokenizer is seen."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class O200k:
    """OpenAI's `o200k_base`, exact and offline.

    The ranks take 62 MB and a third of a second, so they load with the first count and not with the import.
    """

    name = "o200k_base"

    @cached_property
    def _toktok(self) -> Any:
        return importlib.import_module("toktok")

    def count(self, text: str) -> int:
        """Tokens of the text in ordinary encoding: `<|endoftext|>` is text like any other.

        Raises `UnicodeEncodeError` for unpaired surrogates, which the gate refuses.
        """
        # One thread: callers count one short text at a time, and a pool per call would cost more.
        counts: list[int] = self._toktok.batch_count([text], self.name, threads=1, with_special=False)
        return counts[0]
