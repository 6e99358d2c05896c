from collections.abc import Iterator

import pytest

from tests.recipes.deploy.engine import Engine
from tests.recipes.deploy.engine import engine as with_images


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with with_images(tmp_path_factory.mktemp("engine")) as made:
        yield made
