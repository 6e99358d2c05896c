"""Every option of the server and the CLI once: name, type, default, help. The only reader of the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Options, read from `TARIMBA_<NAME>`; the CLI's flags override them."""

    model_config = SettingsConfigDict(env_prefix="TARIMBA_", frozen=True, extra="forbid")

    data: Path = Field(
        default=Path("tarimba-data"), description="Folder for the SQLite database and the keys."
    )
    db: str | None = Field(
        default=None,
        description="Database URL: `sqlite:///FILE` (default: tarimba.db in the data folder) or `postgresql://...`.",
    )
    host: str = Field(default="127.0.0.1", description="Address that `tarimba serve` listens on.")
    port: int = Field(default=8750, ge=0, le=65535, description="Port that `tarimba serve` listens on.")
    public_url: str | None = Field(
        default=None,
        description="Address by which clients reach the server; feeds the allowed hosts of the MCP server.",
    )
    region: str = Field(default="local", max_length=64, description="Region named in `GET /v1/sources/me`.")
    master_key: SecretStr | None = Field(
        default=None,
        description="Base64 of the 32 bytes that wrap every stored secret; else the file in <data>/keys.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe level that is logged."
    )
    queue_max: int = Field(
        default=2048, ge=16, description="Requests that may wait for the writer; above it the answer is 503."
    )
    threads: int = Field(
        default=24, ge=2, le=256, description="Threads that serve requests other than block reads."
    )
    body_max: int = Field(
        default=1024 * 1024, ge=1024, description="Largest request body, in bytes, but for imports."
    )
    import_max: int = Field(
        default=256 * 1024 * 1024, ge=1024, description="Largest body of an import, in bytes."
    )
    clock_offset_s: int = Field(
        default=0, description="Seconds added to the clock. For tests of a moved clock only."
    )

    @property
    def url(self) -> str:
        """The database URL in force."""
        return self.db or f"sqlite:///{self.data / 'tarimba.db'}"
