import subprocess
import sys

import pytest

from tarimba.tokens import O200k, Tokenizer


def test_counts_are_those_of_o200k_base() -> None:
    tokenizer: Tokenizer = O200k()
    assert tokenizer.name == "o200k_base"
    # Published counts of the encoding: the empty text, two words, a word that cl100k would split otherwise.
    assert [tokenizer.count(text) for text in ("", "hello world", "antidisestablishmentarianism")] == [
        0,
        2,
        6,
    ]


def test_special_tokens_are_ordinary_text() -> None:
    assert O200k().count("<|endoftext|>") > 1


def test_unpaired_surrogates_are_not_counted() -> None:
    with pytest.raises(UnicodeEncodeError):
        O200k().count("\ud800")


def test_the_ranks_load_with_the_first_count_only() -> None:
    program = (
        "import sys; from tarimba.tokens import O200k; t = O200k(); assert 'toktok' not in sys.modules; "
        "t.count('a'); assert 'toktok' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
