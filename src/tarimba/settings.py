"""Every option of the server and the CLI once: name, type, default, help. The only reader of the environment."""

from __future__ import annotations

import os
from ipaddress import ip_network
from pathlib import Path
from typing import Final, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
)

from tarimba import option_names, region, secret_files

SECRET_BYTES_MIN: Final = 32


class Settings(BaseSettings):
    """Options, read from `TARIMBA_<NAME>` or a file of that name; the CLI's flags override them."""

    model_config = SettingsConfigDict(env_prefix="TARIMBA_", frozen=True, extra="forbid")

    data: Path = Field(
        default=Path("tarimba-data"), description="Folder for the SQLite database and the keys."
    )
    secrets_dir: Path | None = Field(
        default=None,
        description="Folder whose files are options too, each named like its variable (`TARIMBA_MASTER_KEY`): for "
        "secrets that an orchestrator hands out as files.",
    )
    db: str | None = Field(
        default=None,
        description="Database URL: `sqlite:///FILE` (default: tarimba.db in the data folder) or `postgresql://...`.",
    )
    db_direct: str | None = Field(
        default=None,
        description="URL of the PostgreSQL database past a pooler, where `TARIMBA_DB` leads to one: for what needs a "
        "session of its own, as taking erased text out of the files.",
    )
    host: str = Field(default="127.0.0.1", description="Address that `tarimba serve` listens on.")
    port: int = Field(default=8750, ge=0, le=65535, description="Port that `tarimba serve` listens on.")
    public_url: str | None = Field(
        default=None,
        description="Address by which clients reach the server; feeds the allowed hosts of the MCP server.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks between commas of proxies before the server whose word on the client's "
        "address and scheme is taken; from others `X-Forwarded-For` counts for nothing.",
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
    metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Port of its own for `GET /metrics`, `/readyz` and `/healthz`, of `tarimba serve` and `worker`.",
    )
    metrics_host: str = Field(default="127.0.0.1", description="Address that this port is on.")
    metrics_token: SecretStr | None = Field(
        default=None,
        description="Bearer token for `GET /metrics`, which with it is also on the port of `tarimba serve`.",
    )
    otel: bool = Field(
        default=False,
        description="Whether spans go to OpenTelemetry, as its own variables `OTEL_...` say. Needs the extra `otel`.",
    )
    disk_free_min: int = Field(
        default=128 * 1024 * 1024,
        ge=0,
        description="Bytes that must be free where the server writes for `GET /readyz` to answer 200.",
    )
    reads_per_second: int = Field(
        default=1000,
        ge=0,
        description="Reads a second of one key that a server process answers, over two seconds; above it the answer "
        "is 429. 0: any number.",
    )
    drain_delay_s: int = Field(
        default=0,
        ge=0,
        le=300,
        description="Seconds in which `tarimba serve` goes on answering after SIGTERM, with `GET /readyz` at 503, "
        "before it closes its doors: for balancers that would still send here.",
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
    region_hosts: str = Field(
        default="",
        description="Hosts outside private networks that text may be sent to, over TLS: names between commas.",
    )
    detectors_url: str | None = Field(
        default=None,
        description="Server that finds people's names, in the place of the model in this process. "
        "A loopback or private address, or a host of `TARIMBA_REGION_HOSTS`.",
    )
    detectors_label: str = Field(
        default="",
        max_length=128,
        description="Changed by you when a server of names that tells no version finds others than before.",
    )
    detectors_timeout_ms: int = Field(
        default=300,
        ge=10,
        le=60_000,
        description="How long a check may wait for the server of names, all in all.",
    )
    llm_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint that writes proposals, up to `/v1`. Without one they are made from "
        "recorded actions only. A loopback or private address, or a host of `TARIMBA_REGION_HOSTS`.",
    )
    llm_model: str = Field(
        default="", max_length=256, description="Model that is asked for at `TARIMBA_LLM_URL`."
    )
    llm_api_key: SecretStr | None = Field(
        default=None, description="Sent to `TARIMBA_LLM_URL` as a bearer token."
    )
    llm_timeout_s: int = Field(
        default=60, ge=1, le=600, description="How long the model may take for one answer, all in all."
    )
    oidc_issuer: str | None = Field(
        default=None,
        max_length=512,
        description="Issuer of an OpenID Connect provider that people may sign in to the Console by; over https, but "
        "for a loopback address. Needs the extra `oidc`.",
    )
    oidc_client_id: str = Field(
        default="", max_length=512, description="Client id of this server at `TARIMBA_OIDC_ISSUER`."
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="Client secret for `TARIMBA_OIDC_ISSUER`; without one PKCE alone guards."
    )
    webhook_hosts: str = Field(
        default="",
        description="Hosts that webhooks may go to though they are not public or not https: names between commas.",
    )
    workspaces: Path | None = Field(
        default=None,
        description="Folder with `<space>/<agent>` of agents whose approved skills are written into its `skills`.",
    )
    mcp_token_secret: SecretStr | None = Field(
        default=None,
        # The second name is the one that harnesses of the family already have in their units.
        validation_alias=AliasChoices(
            "TARIMBA_MCP_TOKEN_SECRET", "CRAB_MCP_TOKEN_SECRET", "mcp_token_secret"
        ),
        description="Secret of at least 32 bytes that signs workspace tokens for the memory graph over MCP; also "
        "read from `CRAB_MCP_TOKEN_SECRET`. Without one there is no graph.",
    )
    mcp_token_secret_previous: SecretStr | None = Field(
        default=None,
        description="The secret before a change of it: tokens that it signed are taken until it is removed.",
    )
    graph_entities_max: int = Field(
        default=100_000, ge=1, description="Entities that the graph of one member may hold."
    )
    graph_observations_max: int = Field(
        default=1_000_000, ge=1, description="Observations that the graph of one member may hold."
    )
    embedder: str | None = Field(
        default=None,
        max_length=128,
        description="Embedder of the extra `semantic` by which the graph is also searched by meaning; see the docs for "
        "the names.",
    )
    jobs: bool = Field(
        default=True,
        description="Whether `tarimba serve` also does the work beside requests; else another process must do it.",
    )
    checkpoint_file: Path | None = Field(
        default=None,
        description="File to which every signed checkpoint is added: keep it where nobody can change it.",
    )
    cold_dir: Path | None = Field(
        default=None,
        description="Folder of cold storage, the same for every process: what was moved there is read from there.",
    )
    cold_url: str | None = Field(
        default=None,
        pattern=r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._-]+)*/?$",
        description="Bucket of cold storage instead of a folder, `s3://BUCKET/PREFIX`. Needs "
        "`TARIMBA_COLD_ENDPOINT` and the extra `s3`.",
    )
    cold_endpoint: str | None = Field(
        default=None,
        validate_default=True,
        description="Address of the S3-compatible store. "
        "A loopback or private address, or a host of `TARIMBA_REGION_HOSTS`.",
    )
    cold_region: str = Field(
        default="us-east-1", max_length=64, description="Region that it is told to be in."
    )
    cold_access_key: SecretStr | None = Field(
        default=None, description="Id of the key for it; without one the machine's own role is asked for."
    )
    cold_secret_key: SecretStr | None = Field(default=None, description="The secret of that key.")
    cold_after_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Days after which receipts move out of the database to cold storage, 256 at a time, behind a "
        "signed checkpoint. Without it none does.",
    )
    erasure_file: Path | None = Field(
        default=None,
        description="File to which a line is added for whatever is erased, forgotten or revoked, so that a restored "
        "backup can be brought to the same state: keep it where neither the database nor its backups are.",
    )
    clock_offset_s: int = Field(
        default=0, description="Seconds added to the clock. For tests of a moved clock only."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by the caller)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (named by the caller)
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Adds the files, once it is sure that each is taken: the source passes over what it can't read."""
        named = os.environ.get("TARIMBA_SECRETS_DIR")
        if not named or cls._problem_of_secrets(Path(named)):
            return init_settings, env_settings
        return init_settings, env_settings, SecretsSettingsSource(settings_cls, Path(named))

    @classmethod
    def _problem_of_secrets(cls, folder: Path) -> str | None:
        return secret_files.problem_of(folder, cls.variables() - {"TARIMBA_SECRETS_DIR"}, os.environ)

    @field_validator("secrets_dir")
    @classmethod
    def _is_taken_whole(cls, folder: Path | None) -> Path | None:
        problem = folder is not None and cls._problem_of_secrets(folder)
        if problem:
            raise PydanticCustomError("secrets", "{rule}", {"rule": problem})
        return folder

    @field_validator("mcp_token_secret", "mcp_token_secret_previous", "metrics_token")
    @classmethod
    def _is_long_enough(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is None or not secret.get_secret_value():
            return None
        if len(secret.get_secret_value().encode()) < SECRET_BYTES_MIN:
            raise PydanticCustomError(
                "secret", "{rule}", {"rule": f"must have at least {SECRET_BYTES_MIN} bytes, or be left out"}
            )
        return secret

    @field_validator("cold_url")
    @classmethod
    def _is_the_only_place(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is not None and info.data.get("cold_dir") is not None:
            raise PydanticCustomError(
                "cold", "{rule}", {"rule": "is one place too many beside TARIMBA_COLD_DIR"}
            )
        return url

    @field_validator("cold_endpoint")
    @classmethod
    def _serves_the_bucket(cls, url: str | None, info: ValidationInfo) -> str | None:
        if url is None and info.data.get("cold_url") is not None:
            raise PydanticCustomError("cold", "{rule}", {"rule": "is needed with TARIMBA_COLD_URL"})
        return url

    @field_validator("cold_after_days")
    @classmethod
    def _have_a_place(cls, days: int | None, info: ValidationInfo) -> int | None:
        if days is not None and not info.data.get("cold_dir") and not info.data.get("cold_url"):
            rule = "needs a place to move receipts to: set TARIMBA_COLD_DIR or TARIMBA_COLD_URL"
            raise PydanticCustomError("cold", "{rule}", {"rule": rule})
        return days

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, listed: str) -> str:
        named = [one.strip() for one in listed.split(",") if one.strip()]
        try:
            for one in named:
                ip_network(one)
        except ValueError:
            rule = "must be addresses and networks between commas, such as 10.0.0.2, 10.1.0.0/16"
            raise PydanticCustomError("proxies", "{rule}", {"rule": rule}) from None
        return ",".join(named)

    @field_validator("region_hosts", "webhook_hosts")
    @classmethod
    def _are_hosts(cls, listed: str) -> str:
        try:
            region.hosts_of(listed)
        except ValueError as error:
            raise PydanticCustomError("region", "{rule}", {"rule": str(error)}) from None
        return listed

    @field_validator("oidc_issuer")
    @classmethod
    def _is_guarded(cls, issuer: str | None) -> str | None:
        if issuer is not None and (not region.is_guarded(issuer) or "?" in issuer):
            rule = "must look like https://host/path, or http on a loopback address"
            raise PydanticCustomError("region", "{rule}", {"rule": rule})
        return issuer

    @field_validator("detectors_url", "llm_url", "cold_endpoint")
    @classmethod
    def _stays_in_region(cls, url: str | None, info: ValidationInfo) -> str | None:
        problem = url is not None and region.problem_of(
            url, region.hosts_of(info.data.get("region_hosts", ""))
        )
        if problem:
            raise PydanticCustomError("region", "{rule}", {"rule": problem})
        return url

    @classmethod
    def variables(cls) -> frozenset[str]:
        """Every name that an option has in the environment or as a file."""
        return frozenset(
            name
            for option, field in cls.model_fields.items()
            for name in (
                [str(choice) for choice in field.validation_alias.choices if str(choice).isupper()]
                if isinstance(field.validation_alias, AliasChoices)
                else [f"TARIMBA_{option}".upper()]
            )
        )

    @classmethod
    def problem_of_names(cls) -> str | None:
        """The sentence that refuses what the environment sets under names that only look like ours; None if nothing."""
        return option_names.problem_of(os.environ.keys(), cls.variables() | option_names.OF_THE_CLIENT)

    @classmethod
    def variable_of(cls, option: str) -> str:
        """The variable that an option is read from, by its name or, where it has several, the one that is set."""
        for field in cls.model_fields.values():
            choices = (
                field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else []
            )
            if option in choices:
                return str(next((name for name in choices if name in os.environ), choices[0]))
        return f"TARIMBA_{option}".upper()

    @property
    def address(self) -> str:
        """Where people and clients reach the server, without a slash at the end."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def url(self) -> str:
        """The database URL in force."""
        return self.db or f"sqlite:///{self.data / 'tarimba.db'}"
