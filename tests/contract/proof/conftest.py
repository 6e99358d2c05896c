"""The small space of the log's tests."""

from tests.contract.receipts.conftest import kernel, log, world  # noqa: F401
