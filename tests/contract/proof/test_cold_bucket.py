"""Old receipts in a bucket of an S3-compatible store, read as before."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from tarimba.app import open_kernel
from tarimba.errors import Refusal
from tarimba.proof.cooling import Cooling
from tarimba.receipts.cold import Cold
from tarimba.receipts.proving import prove_at
from tarimba.settings import Settings
from tests.contract.proof.frozen import AFTER_DAYS, Frozen, cool_receipts, written
from tests.contract.receipts.world import make_world
from tests.fixtures.bucket import ACCESS_KEY, REGION, SECRET_KEY, Store, running_store


@pytest.fixture
def store() -> Iterator[Store]:
    with running_store() as running:
        yield running


@pytest.fixture
def bucket(database_url: str, tmp_path: Path, store: Store) -> Iterator[Frozen]:
    master = SecretStr(base64.b64encode(bytes(range(32))).decode())
    options = {
        "data": tmp_path, "db": database_url, "master_key": master, "cold_after_days": AFTER_DAYS,
        "cold_url": "s3://receipts/acme", "cold_endpoint": store.url, "cold_region": REGION,
        "cold_access_key": SecretStr(ACCESS_KEY), "cold_secret_key": SecretStr(SECRET_KEY),
    }  # fmt: skip
    with open_kernel(Settings.model_validate(options)) as opened:
        world = make_world(opened)
        written(world)
        yield Frozen(world, tmp_path, Cooling(opened))


@pytest.mark.promise("cold-storage-whole")
def test_receipts_move_to_a_bucket_and_are_read_as_before(bucket: Frozen, store: Store) -> None:
    kernel, auditor = bucket.world.kernel, bucket.world.auditor
    bucket.age()
    before = bucket.log()
    bucket.move()
    assert bucket.first_row() == 512
    assert set(store.objects) == {f"/receipts/acme/{file.name}" for file in bucket.files()}
    assert {one["detail"]["place"] for one in cool_receipts(bucket.log())} == {"s3"}
    assert bucket.log()[: len(before)] == before
    assert bucket.verify().ok
    assert prove_at(kernel, auditor, 300)[0].ok
    # A store that is away is no lost file; one that lost it is.
    object.__setattr__(kernel, "cold", Cold(kernel.cold.place))
    store.is_away = True
    with pytest.raises(Refusal, match="does not answer") as refused:
        prove_at(kernel, auditor, 300)
    assert refused.value.status == 503
    store.is_away = False
    name = f"/receipts/acme/{bucket.files()[1].name}"
    whole = store.objects.pop(name)
    assert bucket.verify().first_bad_seq == 256
    store.objects[name] = whole + b"\n"
    assert [one.code for one in bucket.verify().findings if one.seq == 256] == ["cold", "gap"]
    store.objects[name] = whole
    assert bucket.verify().ok


@pytest.mark.promise("cold-storage-whole")
def test_while_the_store_is_away_receipts_stay_in_the_database(bucket: Frozen, store: Store) -> None:
    bucket.age()
    store.is_away = True
    bucket.move()
    assert (bucket.files(), store.objects) == ([], {})
    store.is_away = False
    bucket.age(1)
    bucket.move()
    assert bucket.first_row() == 512


def test_a_bucket_is_declared_whole_and_in_the_region() -> None:
    url = "s3://receipts/acme"
    with pytest.raises(ValidationError, match="TARIMBA_COLD_URL"):
        Settings.model_validate({"cold_url": url})
    with pytest.raises(ValidationError, match="TARIMBA_REGION_HOSTS"):
        Settings.model_validate({"cold_url": url, "cold_endpoint": "https://s3.example"})
    both = {"cold_dir": "/srv/cold", "cold_url": url, "cold_endpoint": "http://127.0.0.1:1"}
    with pytest.raises(ValidationError, match="TARIMBA_COLD_DIR"):
        Settings.model_validate(both)
    near = {"cold_url": url, "cold_endpoint": "https://s3.example", "region_hosts": "s3.example"}
    assert Settings.model_validate(near).cold_url == url
