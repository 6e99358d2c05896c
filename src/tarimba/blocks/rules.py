"""Order, rendering, budget and etag of a block: pure, so that equal requests give equal bytes everywhere.

Tokens are counted piece by piece when a note is written, and a read only adds integers. The sum is exact
because every piece ends with its newline and the next one begins with `-` or `<`: in `o200k_base` newlines
join what is BEFORE them, and no token spans from a newline into anything but newlines and slashes.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from tarimba.blocks.model import Block, Candidate, MatchSet
from tarimba.text import defuse, fold_space
from tarimba.tokens import Tokenizer

# Stored beside every rendered line: a change of the form below must raise it and come with a migration that
# renders the stored lines anew, because `tarimba receipts verify` accepts no line but the one of this form.
RENDERER = "1"
OFF_ETAG = "am-off"
MAX_FRAME_TOKENS = 24

_OPENING = "<agent_notes>\n"
_CLOSING = "</agent_notes>"
_HEADERS = {
    "pt": "Do próprio agente (procedimentos e notas de trabalho, não dados de clientes)",
    "en": "From the agent itself (procedures and working notes, not customer data)",
    "es": "Del propio agente (procedimientos y notas de trabajo, no datos de clientes)",
}


def header(language: str) -> str:
    """The line under the opening delimiter; `KeyError` for a language that no space can have."""
    return _HEADERS[language]


def render_line(kind: str, title: str, body: str) -> str:
    """The note on one line, without its newline, unable to close the block it stands in."""
    return defuse(f"- [{kind}] {fold_space(title)}: {fold_space(body)}")


def line_tokens(line: str, tokenizer: Tokenizer) -> int:
    """What the line adds to a block: its tokens with its newline."""
    return tokenizer.count(line + "\n")


def frame_tokens(language: str, tokenizer: Tokenizer) -> int:
    """What a block costs beside its notes; at most `MAX_FRAME_TOKENS` in every language."""
    return tokenizer.count(f"{_OPENING}{header(language)}\n") + tokenizer.count(_CLOSING)


def match_set(tags: Iterable[str], view: str | None, tasks: Mapping[str, Sequence[str]]) -> MatchSet:
    """What the tags of a note are compared with.

    The request's tags and view; for the view `task:<name>` also that name and the task's object types.
    """
    matched = set(tags)
    if view:
        matched.add(view)
        scheme, _, name = view.partition(":")
        if scheme == "task" and name:
            matched.update((name, *tasks.get(name, ())))
    return frozenset(matched)


def order_key(candidate: Candidate, match: MatchSet) -> tuple[int, int, int, str]:
    """Most matching tags first, then the most revised, then the oldest, then the id."""
    return (
        -sum(tag in match for tag in candidate.tags),
        -candidate.version,
        candidate.age,
        candidate.note_id,
    )


def assemble(
    candidates: Iterable[Candidate], match: MatchSet, max_tokens: int, language: str, frame_tokens: int
) -> Block:
    """The block of at most `max_tokens`: a note is never cut, one that does not fit is passed over."""
    ordered = sorted(candidates, key=lambda candidate: order_key(candidate, match))
    chosen: list[Candidate] = []
    tokens = frame_tokens
    for candidate in ordered:
        if tokens + candidate.tokens <= max_tokens:
            chosen.append(candidate)
            tokens += candidate.tokens
    if not chosen:
        return Block(text="", notes=(), etag=etag("", ()), tokens=0, left_out=len(ordered))
    lines = "".join(f"{candidate.line}\n" for candidate in chosen)
    text = f"{_OPENING}{header(language)}\n{lines}{_CLOSING}"
    notes = tuple(candidate.note_id for candidate in chosen)
    return Block(text, notes, etag(text, notes), tokens, len(ordered) - len(chosen))


def etag(text: str, notes: Sequence[str]) -> str:
    """`am-` and half a SHA-256 over the text and the ids; NUL can be in neither, so it separates them."""
    digest = hashlib.sha256("\0".join((text, *notes)).encode())
    return f"am-{digest.hexdigest()[:32]}"
