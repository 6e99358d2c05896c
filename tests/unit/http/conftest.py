import pytest

from tests.unit.http.toys import Api


@pytest.fixture
def api() -> Api:
    return Api()
