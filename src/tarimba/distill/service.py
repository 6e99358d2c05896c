"""The door of the slice: asking for a distillation, doing it, and what else may write with the same model.

`speaks_to_agents` and `Chat` serve whoever has text written that agents will read.
"""

from __future__ import annotations

from tarimba.distill.chat import Chat, DeclinedError
from tarimba.distill.guards import speaks_to_agents
from tarimba.distill.probing import ModelProbe, probe
from tarimba.distill.requesting import JOB, distill
from tarimba.distill.working import work

__all__ = ["JOB", "Chat", "DeclinedError", "ModelProbe", "distill", "probe", "speaks_to_agents", "work"]
