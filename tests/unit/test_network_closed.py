import socket

import pytest

pytestmark = pytest.mark.promise("unit-tests-offline")


def test_a_unit_test_reaches_no_address_and_no_name() -> None:
    with socket.socket() as outside, pytest.raises(Exception, match="no network"):
        outside.connect(("127.0.0.1", 9))
    with pytest.raises(Exception, match="no network"):
        socket.getaddrinfo("tarimba.example", 443)
