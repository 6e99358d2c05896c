"""The command line verifies a bundle with nothing at hand, and finds by a kept checkpoint what was put back."""

import json
from pathlib import Path

import pytest

from tarimba import cli
from tarimba.app import open_kernel
from tarimba.identity import hosting
from tarimba.proof import service as proof
from tarimba.receipts.search import Question
from tarimba.settings import Settings

FILE = '[space]\nslug = "acme"\n[[person]]\nslug = "rita"\nemail = "rita@acme.example"\nroles = ["owner"]\n'


@pytest.mark.promise("checkpoints-signed")
def test_an_old_copy_of_the_database_is_found_by_a_kept_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file, kept = tmp_path / "data", tmp_path / "acme.toml", tmp_path / "kept.txt"
    file.write_text(FILE)
    assert cli.run(["apply", str(file), "--data", str(data)]) == 0
    before = (data / "tarimba.db").read_bytes()
    capsys.readouterr()
    assert cli.run(["receipts", "checkpoint", "--data", str(data)]) == 0
    kept.write_text(capsys.readouterr().out)
    assert cli.run(["receipts", "keys", "--data", str(data)]) == 0
    key = capsys.readouterr().out.strip()
    verify = ["receipts", "verify", "--checkpoint", str(kept), "--data", str(data)]
    assert cli.run([*verify, "--key", key]) == 0
    assert "put back to an earlier state" not in capsys.readouterr().out
    for leftover in data.glob("tarimba.db*"):
        leftover.unlink()
    (data / "tarimba.db").write_bytes(before)
    assert cli.run(["receipts", "verify", "--data", str(data)]) == 0
    assert cli.run(verify) == 1
    assert "it was cut or put back" in capsys.readouterr().out
    kept.write_text("nothing")
    assert cli.run(verify) == 1
    assert "no checkpoint of this space" in capsys.readouterr().err


@pytest.mark.promise("bundles-verify")
def test_a_bundle_is_verified_without_data_and_a_changed_one_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file, path = tmp_path / "data", tmp_path / "acme.toml", tmp_path / "bundle.json"
    file.write_text(FILE)
    assert cli.run(["apply", str(file), "--data", str(data)]) == 0
    with open_kernel(Settings.model_validate({"data": data})) as kernel:
        host = hosting.host_of(kernel, "acme")
        bundle, _ = proof.bundle(kernel, host, Question(kind="admin"))
        (key,) = proof.public_keys(kernel, host)
    path.write_text(json.dumps(bundle))
    nowhere = ["--data", str(tmp_path / "nowhere")]
    verify = ["receipts", "verify", "--bundle", str(path), "--key", str(key.public), *nowhere]
    assert cli.run(verify) == 0
    assert "Nothing wrong was found." in capsys.readouterr().out
    assert not (tmp_path / "nowhere").exists()
    path.write_text(json.dumps(bundle).replace('"via": "cli"', '"via": "mcp"', 1))
    assert cli.run(verify) == 1
    assert "is not the one of the log" in capsys.readouterr().out
    for wrong in ("nothing", "{}"):
        path.write_text(wrong)
        assert cli.run(verify) == 1
    assert cli.run([*verify[:-4], "--key", "odd"]) == 2
