"""The light client: `from tarimba.client import Tarimba`. Needs httpx and pydantic, nothing of the server."""

from tarimba.client.async_client import AsyncTarimba
from tarimba.client.budgets import Budgets
from tarimba.client.client import Tarimba
from tarimba.client.composing import Composed, compose
from tarimba.client.conversation import Conversation
from tarimba.client.errors import TarimbaError
from tarimba.client.events import Handle
from tarimba.client.models import AgentMemory, Evidence, Finding, Found, Note, NoteWarning, Remembered
from tarimba.client.options import Options
from tarimba.client.recording import Tally
from tarimba.client.retries import Retries
from tarimba.client.tools import Tool

__all__ = [
    "AgentMemory",
    "AsyncTarimba",
    "Budgets",
    "Composed",
    "Conversation",
    "Evidence",
    "Finding",
    "Found",
    "Handle",
    "Note",
    "NoteWarning",
    "Options",
    "Remembered",
    "Retries",
    "Tally",
    "Tarimba",
    "TarimbaError",
    "Tool",
    "compose",
]
