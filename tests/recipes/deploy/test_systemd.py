"""The units under a real systemd, in a container: with all their hardening they do what they are for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.recipes.deploy.company import COMPANY
from tests.recipes.deploy.engine import IMAGE, Engine
from tests.recipes.deploy.files import UNITS

pytestmark = [pytest.mark.nightly, pytest.mark.promise("units-work-hardened")]

MACHINE: Final = f"""\
FROM {IMAGE} AS tarimba
FROM localhost/machine:12
COPY --from=tarimba /opt/tarimba/ /opt/tarimba/
COPY systemd/*.service systemd/*.timer /etc/systemd/system/
COPY systemd/tarimba.sysusers.conf /usr/lib/sysusers.d/tarimba.conf
COPY systemd/tarimba.tmpfiles.conf /usr/lib/tmpfiles.d/tarimba.conf
COPY company.toml one.env inside.sh /etc/tarimba/
COPY given.conf /etc/systemd/system/tarimba.service.d/
COPY given.conf /etc/systemd/system/tarimba-.service.d/
RUN mkdir -p -m 0755 /etc/tarimba/given && mkdir /etc/tarimba/workspaces \\
 && head -c 32 /dev/urandom | base64 >/etc/tarimba/given/TARIMBA_MASTER_KEY \\
 && mv /etc/tarimba/one.env /etc/tarimba/workspaces/ && systemctl enable tarimba.service
CMD ["/sbin/init"]
"""
# In a container systemd can't mount the credentials of a unit, so here its secrets are plain files.
GIVEN: Final = """\
[Service]
LoadCredential=
Environment=TARIMBA_SECRETS_DIR=/etc/tarimba/given
"""
AGENT: Final = """\
SUBSCRIPTION=matriz
AGENT=billing
MEMBER=rita
COMMAND=sh -c "cat AGENT.md; rm AGENT.md || echo refused; ls /etc/tarimba /var/lib/tarimba || echo hidden"
MORE=
"""


@pytest.fixture(scope="module")
def machine(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image of a machine with systemd and our units."""
    folder = tmp_path_factory.mktemp("machine")
    archive = folder / "machine.tar"
    packages = "--include=python3,libstdc++6,systemd,systemd-sysv,dbus,curl"
    command = ["mmdebstrap", "--quiet", "--variant=essential", packages, "bookworm", str(archive)]
    subprocess.run(command, check=True, capture_output=True)
    engine.call("import", str(archive), "localhost/machine:12")
    archive.unlink()
    shutil.copytree(UNITS, folder / "systemd")
    (folder / "company.toml").write_text(COMPANY)
    (folder / "one.env").write_text(AGENT)
    (folder / "given.conf").write_text(GIVEN)
    shutil.copy(Path(__file__).with_name("inside.sh"), folder)
    (folder / "Containerfile").write_text(MACHINE)
    engine.build(folder / "Containerfile", "localhost/machine:tarimba", folder)
    return "localhost/machine:tarimba"


def test_the_units_do_their_work_with_all_their_hardening(engine: Engine, machine: str) -> None:
    with engine.started(machine, options=("--privileged", "--systemd=always", "--network=none")) as name:
        told = engine.call("exec", name, "timeout", "900", "bash", "/etc/tarimba/inside.sh", check=False)
    lines = told.splitlines()
    assert "note kept" in lines, told
    assert {"tarimba-verify: Result=success", "tarimba-backup: Result=success", "backups: 1"} <= set(lines), (
        told
    )
    assert "You collect what is due, kindly." in told
    assert {"refused", "hidden"} <= set(lines), told
    for unit in ("tarimba", "tarimba-worker"):
        assert f"{unit}: CapBnd: {'0' * 16} NoNewPrivs: 1 Seccomp: 2 " in told, told
        assert f"{unit}: Result=success" in lines, told
    # A filter that is too narrow shows in what is done beside requests.
    assert lines[-1] == "upkeep failed: 0", told
