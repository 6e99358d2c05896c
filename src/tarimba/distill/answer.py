"""Reading what a model wrote: one JSON object in our schema, also when words stand around it. Pure."""

from __future__ import annotations

import json
from typing import Any, Final

from tarimba.distill.model import Offer, UnfitError
from tarimba.notes.model import KINDS

_TEXTS: Final = ("kind", "title", "body")


def read(content: str) -> Offer | None:
    """The offer, or None when the model found nothing to keep. Raises `UnfitError`."""
    found = _object(content)
    if found.get("nothing") is True:
        return None
    texts = {name: found.get(name) for name in _TEXTS}
    tags = found.get("tags", [])
    if not all(isinstance(text, str) for text in texts.values()):
        raise UnfitError("kind, title and body must be strings")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise UnfitError("tags must be a list of strings")
    if texts["kind"] not in KINDS:
        raise UnfitError(f"kind must be one of {', '.join(KINDS)}")
    return Offer(str(texts["kind"]), str(texts["title"]), str(texts["body"]), tuple(tags))


def _object(content: str) -> dict[str, Any]:
    """The outermost JSON object: models that were not held to a schema think or explain around it."""
    text = content.rpartition("</think>")[2]
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        raise UnfitError("it must be one JSON object") from None
    if not isinstance(found, dict):
        raise UnfitError("it must be one JSON object")
    return found
