"""What the options mean together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tarimba.doctor import data, options
from tarimba.doctor.model import Finding
from tarimba.settings import Settings

pytestmark = pytest.mark.promise("doctor")
MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /srv/shared\\040data rw - nfs4 files:/srv rw,vers=4.2
31 22 0:41 / /run rw - tmpfs tmpfs rw
32 22 254:1 / /run/disk rw - xfs /dev/vdb rw
"""


def found(check: str, **given: Any) -> Finding:
    (one,) = [one for one in options.options(Settings.model_validate(given)) if one.check == check]
    return one


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({}, "ok"),
        ({"host": "0.0.0.0"}, "warn"),
        ({"public_url": "https://tarimba.acme.example"}, "ok"),
        ({"public_url": "http://127.0.0.1:8750"}, "ok"),
        ({"public_url": "http://tarimba.acme.example"}, "warn"),
        ({"public_url": "https://tarimba.acme.example/memory"}, "fail"),
        ({"public_url": "tarimba.acme.example"}, "fail"),
        ({"public_url": "https://somebody:hushhush@acme.example"}, "fail"),
        ({"public_url": "https://acme.example:port"}, "fail"),
    ],
)
def test_the_public_address(options: dict[str, str], level: str) -> None:
    one = found("options.public_url", **options)
    assert one.level == level
    assert "hushhush" not in one.sentence


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({}, "ok"),
        ({"public_url": "https://acme.example"}, "warn"),
        ({"public_url": "https://acme.example", "trusted_proxies": "10.0.0.2"}, "ok"),
        ({"trusted_proxies": "10.0.0.2,0.0.0.0/0"}, "fail"),
        ({"trusted_proxies": "::/0"}, "fail"),
    ],
)
def test_who_is_trusted_to_tell_the_clients_address(options: dict[str, str], level: str) -> None:
    assert found("options.trusted_proxies", **options).level == level


def test_a_secret_that_was_exchanged_is_to_be_taken_away_and_never_shown() -> None:
    one, other = "a first secret of thirty-two bytes or more", "another secret of thirty-two bytes or more"
    for given, level in (
        ({"mcp_token_secret": one}, "ok"),
        ({"mcp_token_secret": one, "mcp_token_secret_previous": other}, "warn"),
        ({"mcp_token_secret": one, "mcp_token_secret_previous": one}, "warn"),
    ):
        said = found("options.mcp_token_secret", **given)
        assert said.level == level
        assert "thirty-two" not in said.sentence


def test_a_moved_clock_fails() -> None:
    assert found("options.clock_offset", clock_offset_s=5).level == "fail"


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/var/lib", "ext4"), ("/srv/shared data/x", "nfs4"), ("/run/x", "tmpfs"), ("/run/disk/x", "xfs")],
)
def test_the_file_system_is_the_one_mounted_nearest(path: str, kind: str) -> None:
    assert data.file_system_of(Path(path), MOUNTS) == kind


def test_a_file_on_the_network_and_one_in_memory_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, word in (("nfs4", "network"), ("tmpfs", "memory"), ("overlay", "container")):
        mounts = tmp_path / "mountinfo"
        mounts.write_text(f"22 1 254:0 / / rw - {kind} there rw\n")
        monkeypatch.setattr(data, "_MOUNTS", mounts)
        (one,) = [one for one in data.data(Settings(data=tmp_path)) if one.check == "data.file_system"]
        assert one.level == "warn"
        assert word in one.sentence


def test_the_masters_key_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "master.key"
    path.parent.mkdir()
    path.write_text("c2VjcmV0")
    for mode, level in ((0o644, "fail"), (0o600, "ok")):
        path.chmod(mode)
        (one,) = [one for one in data.data(Settings(data=tmp_path)) if one.check == "data.master_key"]
        assert one.level == level
        assert "c2VjcmV0" not in one.sentence


def test_a_full_disk_fails_and_one_that_fills_up_is_warned_of(tmp_path: Path) -> None:
    for least, level in ((0, "ok"), (1 << 60, "fail")):
        settings = Settings(data=tmp_path, disk_free_min=least)
        assert {one.level for one in data.data(settings) if one.check == "data.disk"} == {level}
