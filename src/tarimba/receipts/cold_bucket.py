"""Cold files in a bucket of an S3-compatible store. Needs the extra `s3`."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

from tarimba.receipts.cold_places import Kind, PlaceError

# One request may take so long, and all tries of it together: somebody waits for a receipt.
_SECONDS: Final = 10
_TRIES: Final = 2


class Bucket:
    """A bucket, or what is below a prefix in one. Without keys they come from the machine, as on a cloud host."""

    kind: Kind = "s3"

    def __init__(
        self, url: str, *, endpoint: str | None, region: str, access_key: str | None, secret_key: str | None
    ) -> None:
        parts = urlsplit(url)
        config: dict[str, str] = {"region": region}
        config |= {} if endpoint is None else {"endpoint": endpoint}
        if access_key is not None and secret_key is not None:
            config |= {"access_key_id": access_key, "secret_access_key": secret_key}
        self._store = S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            config=config,  # type: ignore[arg-type] # a plain mapping of its keys
            client_options={
                "timeout": f"{_SECONDS}s",
                "connect_timeout": "5s",
                "allow_http": (endpoint or "").startswith("http://"),
            },
            retry_config={"max_retries": _TRIES - 1},
        )

    def put(self, name: str, data: bytes) -> None:
        """See `Place`. The store keeps an object whole or not at all."""
        try:
            obstore.put(self._store, name, data, use_multipart=False)
        except (BaseError, OSError) as error:
            raise PlaceError(type(error).__name__) from error

    def get(self, name: str, limit: int) -> bytes | None:
        """See `Place`."""
        try:
            found = obstore.get(self._store, name)
            if found.meta["size"] >= limit:
                # Another file than was written: whoever compares sees that by one byte too many.
                return bytes(limit)
            return bytes(found.bytes())
        except (NotFoundError, FileNotFoundError) as error:
            if "NoSuchBucket" in str(error):
                raise PlaceError("NoSuchBucket") from error
            return None
        except (BaseError, OSError) as error:
            raise PlaceError(type(error).__name__) from error
