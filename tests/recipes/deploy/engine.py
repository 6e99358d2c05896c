"""podman with a store of its own, and the images of the tests: made of Debian's packages, for no hub is asked."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.recipes.deploy.files import DEPLOY
from tests.recipes.environment import ROOT

# What the build's pip is told about where packages are and whom to trust is what this machine's is told.
_OF_THE_MACHINE = ("/etc/pip.conf", "/etc/ssl/certs")
# Limits of an engine are above those of some machines; without a service manager on the host nobody would ask for
# the container's health.
_LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096", "--no-healthcheck")
LOCKED_DOWN = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--user=10001:10001")
IMAGE = "localhost/tarimba:test"


@dataclass(frozen=True, slots=True)
class Engine:
    folder: Path

    def call(self, *arguments: str, check: bool = True, text: str | None = None) -> str:
        """What podman prints on its standard output, the standard error behind it."""
        command = [
            "podman", "--root", str(self.folder / "store"), "--runroot", str(self.folder / "run"),
            "--storage-driver", "overlay", "--cgroup-manager", "cgroupfs", "--runtime", "runc", *arguments,
        ]  # fmt: skip
        environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.folder)}
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, env=environment, cwd=ROOT
        )
        assert not check or done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout + done.stderr

    def build(self, containerfile: Path, tag: str, context: Path, *options: str) -> None:
        mounts = [f"--volume={path}:{path}:ro" for path in _OF_THE_MACHINE if Path(path).exists()]
        self.call(
            "build", "--isolation=chroot", "--network=host", "--format=docker", *mounts, *options,
            "--file", str(containerfile), "--tag", tag, str(context),
        )  # fmt: skip

    def run(self, image: str, *arguments: str, options: Sequence[str] = (), check: bool = True) -> str:
        return self.call("run", "--rm", *_LIMITS, *options, image, *arguments, check=check)

    @contextlib.contextmanager
    def started(self, image: str, *arguments: str, options: Sequence[str] = ()) -> Iterator[str]:
        """A container that runs in the background; yields its name. It is gone after the block."""
        name = f"tarimba-{os.urandom(6).hex()}"
        self.call("run", "--detach", "--name", name, *_LIMITS, *options, image, *arguments)
        try:
            yield name
        finally:
            self.call("rm", "--force", "--volumes", name)


@contextlib.contextmanager
def engine(folder: Path) -> Iterator[Engine]:
    """An engine that has the image of Tarimba; its store goes with the block."""
    made = Engine(folder)
    subprocess.run([DEPLOY / "container" / "debian", folder], check=True, capture_output=True)
    try:
        for name in ("debian", "debian-python"):
            made.call("import", str(folder / f"{name}.tar"), f"localhost/{name}:12")
        bases = ("--build-arg=BASE=localhost/debian:12", "--build-arg=RUNTIME=localhost/debian-python:12")
        made.build(DEPLOY / "container" / "Containerfile", IMAGE, ROOT, *bases)
        yield made
    finally:
        made.call("rm", "--all", "--force", check=False)
        made.call("rmi", "--all", "--force", check=False)
