"""The binds of a workspace for each harness that is shipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from tarimba.errors import Refusal
from tarimba.harnesses.service import shipped
from tarimba.workspaces.mounts import Bind, binds
from tests.e2e.confinement.stage import staged


@pytest.mark.promise("workspace-mounts")
@pytest.mark.parametrize("harness", shipped())
def test_every_folder_on_the_way_to_a_read_only_bind_is_held_by_a_bind(tmp_path: Path, harness: str) -> None:
    stage = staged(tmp_path, tmp_path.stat().st_uid, harness)
    made = binds(stage.data, stage.seat)
    by_target = {bind.target: bind for bind in made}
    fixed = [bind for bind in made if bind.read_only]
    root, profile = PurePosixPath("/workspace"), stage.seat.profile
    assert {root / profile.shared_root, root / ".shared", root / profile.config} <= {
        one.target for one in fixed
    }
    for bind in fixed:
        assert not bind.source.is_relative_to(stage.workspace)
        assert {above for above in bind.target.parents if above.is_relative_to(root)} <= set(by_target)
    # Outer ones first, and nothing of the agent's own is read-only.
    assert [len(bind.target.parts) for bind in made] == sorted(len(bind.target.parts) for bind in made)
    own = root / profile.own_root
    assert not [one for one in fixed if own.is_relative_to(one.target) or one.target.is_relative_to(own)]
    assert (root / ".secrets" in by_target) == (profile.secrets == "files")
    assert ("projects" not in profile.features) or own in by_target


def test_a_project_has_its_own_folder_and_the_skills_of_the_main_workspace(tmp_path: Path) -> None:
    stage = staged(tmp_path, tmp_path.stat().st_uid, "generic")
    seat = replace(stage.seat, project="roof")
    main = binds(stage.data, stage.seat)
    with pytest.raises(Refusal, match="not provisioned"):
        binds(stage.data, seat)
    folder = stage.workspace.with_name("workspace-roof")
    for one in ("skills", "shared-skills", ".shared", ".secrets", "memory"):
        (folder / one).mkdir(parents=True)
    (folder / "config.json").touch()
    made = binds(stage.data, seat)
    assert set(main) <= set(made)
    added: dict[PurePosixPath, Bind] = {bind.target: bind for bind in made if bind not in main}
    assert all(target.is_relative_to("/workspace-roof") for target in added)
    assert added[PurePosixPath("/workspace-roof/skills")].source == stage.workspace / "skills"
