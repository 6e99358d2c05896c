"""Options in files: what a folder of secrets gives, and what is refused rather than passed over."""

import base64
from pathlib import Path

import pytest
from pydantic import ValidationError

from tarimba.settings import Settings
from tarimba.vault import open_vault

KEY = base64.b64encode(bytes(range(32))).decode()

pytestmark = pytest.mark.promise("secrets-in-files")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "secrets"
    made.mkdir()
    monkeypatch.setenv("TARIMBA_SECRETS_DIR", str(made))
    return made


def refusal() -> str:
    with pytest.raises(ValidationError) as caught:
        Settings()
    (error,) = caught.value.errors(include_input=False, include_url=False)
    assert error["loc"] == ("secrets_dir",)
    return str(error["msg"])


def test_a_file_gives_its_option_without_the_line_end(folder: Path, tmp_path: Path) -> None:
    (folder / "TARIMBA_MASTER_KEY").write_text(f"{KEY}\n")
    (folder / "TARIMBA_DB").write_text("postgresql://tarimba:word@db/tarimba\n")
    (folder / "CRAB_MCP_TOKEN_SECRET").write_text("x" * 32)
    settings = Settings(data=tmp_path / "data")
    assert open_vault(settings, may_create=False).check_value
    assert settings.url == "postgresql://tarimba:word@db/tarimba"
    assert not (tmp_path / "data").exists()


def test_the_second_name_of_an_option_is_taken_too(folder: Path) -> None:
    (folder / "TARIMBA_MCP_TOKEN_SECRET").write_text("y" * 32)
    secret = Settings().mcp_token_secret
    assert secret is not None
    assert secret.get_secret_value() == "y" * 32


def test_a_flag_outranks_a_file(folder: Path) -> None:
    (folder / "TARIMBA_DB").write_text("postgresql://db/tarimba")
    assert Settings(db="sqlite:///other.db").url == "sqlite:///other.db"


def test_links_within_the_folder_are_followed_as_orchestrators_lay_them(folder: Path) -> None:
    (folder / "..2026").mkdir()
    (folder / "..2026" / "TARIMBA_REGION").write_text("south\n")
    (folder / "..data").symlink_to("..2026")
    (folder / "TARIMBA_REGION").symlink_to("..data/TARIMBA_REGION")
    (folder / "tls.crt").write_bytes(b"\xff")
    assert Settings().region == "south"


def test_a_folder_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TARIMBA_SECRETS_DIR", str(tmp_path / "none"))
    assert refusal() == "must be a folder of files named like options"


@pytest.mark.parametrize("name", ["TARIMBA_MASTERKEY", "tarimba_master_key", "TARIMBA_SECRETS_DIR"])
def test_a_file_that_names_no_option_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text(KEY)
    assert refusal() == f"holds {name}, which names no option that can be in a file"


def test_what_the_environment_sets_too_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "TARIMBA_MASTER_KEY").write_text(KEY)
    monkeypatch.setenv("TARIMBA_MASTER_KEY", KEY)
    assert refusal() == "holds TARIMBA_MASTER_KEY, which the environment sets too: remove one of them"


def test_what_is_no_file_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(KEY)
    (folder / "TARIMBA_MASTER_KEY").symlink_to(tmp_path / "elsewhere")
    assert refusal() == "holds TARIMBA_MASTER_KEY, which is no file of that folder"
    (folder / "TARIMBA_MASTER_KEY").unlink()
    (folder / "TARIMBA_MASTER_KEY").mkdir()
    assert refusal() == "holds TARIMBA_MASTER_KEY, which is no file of that folder"


def test_what_is_not_text_is_refused_without_being_shown(folder: Path) -> None:
    (folder / "TARIMBA_MASTER_KEY").write_bytes(b"\xff\xfe")
    assert refusal() == "holds TARIMBA_MASTER_KEY, which is not text in UTF-8"
