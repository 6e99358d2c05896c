"""What other people's validators say of what is handed out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.recipes.deploy.files import COMPOSE, DEPLOY, UNITS, manifests, read
from tests.recipes.environment import interpreter

pytestmark = [pytest.mark.nightly, pytest.mark.promise("deploy-understood")]

# Of 10, of which a unit without any hardening has 9.6.
EXPOSURE_MAX = {
    "tarimba": 1.5,
    "tarimba-worker": 1.5,
    "tarimba-verify": 1.5,
    "tarimba-backup": 1.5,
    "tarimba-workspace@one": 5.2,
}
STRICT = """
import sys
from pathlib import Path
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(path).read_text())
    assert problem is None, problem
"""


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder of the validators' own programs."""
    return interpreter(Path(__file__).parent).parent


def told(*command: object) -> str:
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", manifests(), ids=lambda path: str(path.name))
def test_a_manifest_keeps_to_the_schema_of_its_kind(programs: Path, path: Path) -> None:
    told(programs / "kubernetes-validate", "--strict", path)


def test_a_manifest_with_a_slip_is_found(programs: Path, tmp_path: Path) -> None:
    slip = tmp_path / "slip.yaml"
    text = (DEPLOY / "kubernetes/api.yaml").read_text(encoding="utf-8")
    slip.write_text(text.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"), encoding="utf-8")
    with pytest.raises(AssertionError):
        told(programs / "kubernetes-validate", "--strict", slip)


def test_the_compose_file_keeps_to_the_specification(programs: Path) -> None:
    told(programs / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


def test_podman_compose_reads_the_compose_file_as_we_do(programs: Path, tmp_path: Path) -> None:
    shutil.copy(COMPOSE, tmp_path)
    (tmp_path / "secrets").mkdir()
    for name in read(COMPOSE)[0]["secrets"]:
        (tmp_path / "secrets" / name).write_text("made up")
    printed = told(programs / "podman-compose", "--file", tmp_path / COMPOSE.name, "config")
    path = tmp_path / "printed.yaml"
    path.write_text(printed, encoding="utf-8")
    services, ours = read(path)[0]["services"], read(COMPOSE)[0]["services"]
    assert services.keys() == ours.keys()
    assert all(services[name]["cap_drop"] == ["ALL"] and services[name]["read_only"] for name in ours)


def test_the_bills_of_materials_keep_to_cyclonedx(programs: Path) -> None:
    told(programs / "python", "-c", STRICT, *sorted((DEPLOY / "sbom").glob("*.json")))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with our units, those that they are ordered by and a program at the place of ours."""
    made = tmp_path_factory.mktemp("root")
    shutil.copytree("/usr/lib/systemd/system", made / "usr/lib/systemd/system", symlinks=True)
    shutil.copytree(UNITS, made / "etc/systemd/system")
    for program in ("opt/tarimba/bin/tarimba", "bin/sh"):
        (made / program).parent.mkdir(parents=True)
        (made / program).write_text("#!/bin/sh\n")
        (made / program).chmod(0o755)
    return made


def test_systemd_finds_no_fault_with_a_unit(root: Path) -> None:
    names = [
        path.name.replace("@.", "@one.") for path in UNITS.iterdir() if path.suffix in {".service", ".timer"}
    ]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", f"--root={root}", *names],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", EXPOSURE_MAX)
def test_a_unit_exposes_little(root: Path, name: str) -> None:
    command = (
        "systemd-analyze",
        "security",
        "--offline=true",
        "--no-pager",
        f"--root={root}",
        f"{name}.service",
    )
    (level,) = re.findall(r"Overall exposure level for .*?: ([\d.]+)", told(*command))
    assert float(level) <= EXPOSURE_MAX[name], json.dumps({name: level})
