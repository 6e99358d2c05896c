"""What the methods of skills take. Loaded with the SDK, so only when the server starts to run."""

from __future__ import annotations

from mcp.types import PaginatedRequestParams, RequestParams


class SkillParams(RequestParams):
    """Of `skills/get`."""

    uri: str


class DirectoryParams(PaginatedRequestParams):
    """Of `resources/directory/read`."""

    uri: str
