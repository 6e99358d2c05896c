"""One server for each kind of database and module; each test has a company with a member who works with `billing`."""

from tests.contract.member_skills.conftest import api, desk
from tests.e2e.conftest import place

__all__ = ["api", "desk", "place"]
