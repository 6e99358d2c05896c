"""A workspace that belongs to root: the command is somebody else on the host, and sees the files as its own.

Without a single capability, root's number alone still opens what root owns. So the workspace is mounted with its
owner's number exchanged for one that owns nothing (an idmapped mount, Linux 5.12 or newer).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tarimba.workspaces.running import numbering, syscalls
from tarimba.workspaces.running.mounting import attributes_of, source_of
from tarimba.workspaces.running.plan import Mounted, Plan

# No system hands it out, and its like below 2**31 are signed numbers too.
NOBODY_ELSE: Final = 2_147_480_001
_KEPT: Final = (
    "The workspace belongs to root and its file system can't show it as somebody else's: the command runs under root's "
    "number, without root's rights. Give the data folder to a user of its own."
)


def away_from_root(plan: Plan) -> tuple[Plan, Sequence[int]]:
    """The plan with an owner who is not root, and the trees of its binds in their order, where it needs other ones."""
    if os.geteuid() != 0 or 0 not in {plan.uid, plan.gid}:
        return plan, ()
    try:
        return replace(plan, uid=NOBODY_ELSE, gid=NOBODY_ELSE), _trees(plan)
    except OSError:
        print(_KEPT, file=sys.stderr, flush=True)  # noqa: T201 - the one stream that a run speaks through
        return plan, ()


def _trees(plan: Plan) -> Sequence[int]:
    users = numbering.users_only(f"{plan.uid} {NOBODY_ELSE} 1", f"{plan.gid} {NOBODY_ELSE} 1")
    try:
        return [_shifted(bind, plan, users) for bind in plan.binds]
    finally:
        os.close(users)


def _shifted(bind: Mounted, plan: Plan, users: int) -> int:
    tree = source_of(bind)
    syscalls.shift(tree, users)
    syscalls.set_attributes(tree, attributes_of(bind, plan))
    return tree
