"""What each rule says in English: what is wrong, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "anchor": ("A YAML anchor or alias is used.", "Write the value out where it is used."),
        "bidi": ("Characters that reorder text hide what it says.", "Remove the bidirectional controls."),
        "bom": ("The file begins with a byte order mark.", "Save it as UTF-8 without one."),
        "colon": ("A colon and a space stand in a value without quotes.", "Put the value in quotes."),
        "comment": ("What follows the # was left out of the name.", "Remove it."),
        "description-bytes": (
            "The description has {size} bytes, and {harnesses} takes at most 1024.",
            "Shorten it: letters with accents count more than once.",
        ),
        "description-empty": ("The description is empty.", "Say in which situation the skill is needed."),
        "description-kind": ("The description is a list, a map or null.", "Write it as one text, in quotes."),
        "description-long": (
            "The description has more than 1024 characters and was cut at a word.",
            "Shorten it; the body has room for the rest.",
        ),
        "description-missing": (
            "There is no description.",
            "Add a line `description:` with the situation in which the skill is needed.",
        ),
        "description-title": (
            "The description is a title, not a situation: an agent does not know when to open the skill.",
            "Begin with when it is needed, such as `Use when ...`.",
        ),
        "encoding": ("The bytes are not UTF-8.", "Save the file as UTF-8."),
        "escape": ("A backslash begins no escape that YAML knows.", "Double it, or use single quotes."),
        "fence-space": ("White space follows the `---`.", "Remove it."),
        "file-name": ("The file is not named SKILL.md.", "Name it SKILL.md, in exactly these letters."),
        "file-too-large": (
            "The file is larger than 1 MiB.",
            "Move material to `references/` beside it.",
        ),
        "hash": (
            "A # behind a space stands in a value without quotes: most readers drop the rest; it was kept.",
            "Put the value in quotes.",
        ),
        "keys-left-out": (
            "These keys of the frontmatter are not published: {keys}.",
            "Say in the body what an agent has to know.",
        ),
        "leading-blank": ("Blank lines stand before the first `---`.", "Begin the file with `---`."),
        "line-ends": ("Lines end in CR or CRLF.", "Save the file with LF."),
        "missing-space": ("No space follows the colon.", "Write a space behind it."),
        "name-directory": ("The name differs from that of the directory.", "Give both the same name."),
        "name-kind": ("The name is a list or a map.", "Write it as one word."),
        "name-missing": ("There is no name: the directory's was taken.", "Add a line `name: {name}`."),
        "name-reserved": ("The name is reserved for a document of Tarimba.", "Choose another."),
        "name-slug": ("The name is not legal as it stands: {name} was taken.", "Write `name: {name}`."),
        "name-style": ("These harnesses will not see the name: {harnesses}.", "Write `name: {name}`."),
        "name-too-long": ("The name has more than 64 characters.", "Choose a shorter one."),
        "name-unsavable": (
            "No legal name is near this one.",
            "Use a-z, 0-9 and hyphens; the description may be in any language.",
        ),
        "no-closing-fence": ("The frontmatter has no closing `---`.", "Add the line behind the description."),
        "no-opening-fence": (
            "The file does not begin with `---`.",
            "Begin with a frontmatter that has `name` and `description`.",
        ),
        "not-looked-at": (
            "The skill has much text: in this file nobody looked for secrets and personal data.",
            "Publish less text with one skill.",
        ),
        "nul": ("The file holds a NUL character.", "Remove it."),
        "outside": ("A symbolic link leaves the skill.", "Put a copy in its place."),
        "override": (
            "A phrase tells the reader to disregard its instructions.",
            "Remove it: a skill adds to the instructions, it does not replace them.",
        ),
        "personal-data": ("This looks like personal data ({kind}).", "Remove it: skills are read by many."),
        "pipe-to-shell": (
            "Something downloaded is run unseen.",
            "Download it, check a digest, then run it.",
        ),
        "quote": ("Quotes do not enclose the whole value: it was kept as it stands.", "Quote all of it."),
        "repeated-key": ("`{key}` stands there more than once.", "Keep one of them."),
        "secret": ("This looks like a key or a password ({kind}).", "Remove it and replace the secret."),
        "stray-line": ("This line belongs to no key and was left out.", "Indent it, or remove it."),
        "tab-indent": ("A tab is used to indent.", "Use spaces."),
        "tag-character": ("Invisible tag characters can carry hidden text.", "Remove them."),
        "too-many-files": ("The skill has more files or bytes than a skill may.", "Leave out what it can do without."),
        "typed": ("Other readers take this for a number, a date or a truth value.", "Put it in quotes."),
        "unprintable": ("Control characters were left out.", "Remove them."),
        "unreadable": ("The file could not be read.", "Make it a regular file that you may read."),
        "yaml-sign": ("The value opens with a sign that YAML keeps for itself.", "Put the value in quotes."),
        "zero-width": ("Characters without width hide what the text says.", "Remove them."),
    }
)  # fmt: skip
