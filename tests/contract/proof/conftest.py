"""The small space of the log's tests."""

from tests.contract.receipts.conftest import kernel, world  # noqa: F401
