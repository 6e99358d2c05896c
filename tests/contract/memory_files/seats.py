"""A seat that no database knows, for what only the disk does."""

from tarimba.harnesses.service import profile
from tarimba.identity.seats import Seat

SEAT = Seat("space", "team", "source", "billing", profile("generic"), "person")
TREE = f"{SEAT.home}/workspace"
