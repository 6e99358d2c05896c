"""The light client: `from tarimba.client import Tarimba`. Needs httpx and pydantic, nothing of the server."""

from tarimba.client.budgets import Budgets
from tarimba.client.client import Tarimba
from tarimba.client.errors import TarimbaError
from tarimba.client.models import AgentMemory, Evidence, Finding, Found, Note, NoteWarning, Remembered
from tarimba.client.options import Options
from tarimba.client.retries import Retries

__all__ = [
    "AgentMemory",
    "Budgets",
    "Evidence",
    "Finding",
    "Found",
    "Note",
    "NoteWarning",
    "Options",
    "Remembered",
    "Retries",
    "Tarimba",
    "TarimbaError",
]
