"""Binds in the words of each engine, whatever the path of the data folder."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.workspaces.mount_forms import FORMATS, rendered
from tarimba.workspaces.mounts import Bind

PATHS = st.text(
    st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\u00a0"), min_size=1
).map(lambda name: Path("/data") / name.replace("/", "_"))
TARGET = PurePosixPath("/workspace/shared-skills")


@pytest.mark.promise("workspace-mounts")
@pytest.mark.parametrize("form", ["docker", "podman"])
@given(source=PATHS)
def test_arguments_say_the_path_through_shell_and_commas(form: str, source: Path) -> None:
    assumed = [Bind(source, TARGET, read_only=True)]
    if not str(source).isprintable():
        with pytest.raises(Refusal):
            rendered(form, assumed)
        return
    option, value = shlex.split(rendered(form, assumed))
    (fields,) = csv.reader([value])
    wanted = ["type=bind", f"source={source}", f"target={TARGET}", "bind-propagation=rprivate", "readonly"]
    assert (option, fields[:5]) == ("--mount", wanted)
    assert fields[5:] == (["bind-recursive=readonly"] if form == "docker" else [])


@pytest.mark.promise("workspace-recursive")
def test_engines_that_can_be_told_are_told_that_all_below_is_read_only() -> None:
    binds = [
        Bind(Path("/data/w"), PurePosixPath("/workspace"), read_only=False),
        Bind(Path("/data/s"), TARGET, read_only=True),
        Bind(Path("/data/f"), PurePosixPath("/workspace/AGENT.md"), read_only=True, is_file=True),
    ]
    free, fixed, _ = json.loads(rendered("oci", binds))
    assert ("ro" in free["options"], {"ro", "rro", "rbind"} <= set(fixed["options"])) == (False, True)
    made = json.loads(rendered("k8s", binds))
    assert [one["hostPath"]["type"] for one in made["volumes"]] == ["Directory", "Directory", "File"]
    assert [one.get("recursiveReadOnly") for one in made["volumeMounts"]] == [None, "Enabled", "Enabled"]
    assert {one["name"] for one in made["volumes"]} == {one["name"] for one in made["volumeMounts"]}


@pytest.mark.parametrize("form", FORMATS)
def test_a_path_that_breaks_the_line_is_refused(form: str) -> None:
    with pytest.raises(Refusal, match="characters"):
        rendered(form, [Bind(Path("/data/a\nb"), TARGET, read_only=True)])
