"""What every use case stands on: built once by `app.py` and handed to services as their first argument."""

from __future__ import annotations

from dataclasses import dataclass, field

from tarimba.blocks.cache import BlockCache
from tarimba.callers import Callers
from tarimba.clock import Clock
from tarimba.conversations.neighbour import CustomerMemory
from tarimba.draining import Draining
from tarimba.graph.meaning import Meaning
from tarimba.notes.words import Words
from tarimba.personal_data.detectors import Detectors
from tarimba.receipts.cold import Cold
from tarimba.receipts.writer import GroupCommit
from tarimba.settings import Settings
from tarimba.skills.index_cache import IndexCache
from tarimba.spaces import SpaceKeys
from tarimba.storage import Database
from tarimba.telemetry import Telemetry
from tarimba.tokens import Tokenizer
from tarimba.vault import Vault


@dataclass(frozen=True, slots=True)
class Kernel:
    """The parts. Nothing here knows a feature."""

    settings: Settings
    clock: Clock
    database: Database
    vault: Vault
    keys: SpaceKeys
    writer: GroupCommit
    tokenizer: Tokenizer
    words: Words
    detectors: Detectors
    blocks: BlockCache
    indexes: IndexCache
    customers: CustomerMemory
    meaning: Meaning | None
    cold: Cold = field(default_factory=Cold)
    callers: Callers = field(default_factory=Callers)
    draining: Draining = field(default_factory=Draining)
    telemetry: Telemetry = field(default_factory=Telemetry)
