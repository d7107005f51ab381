"""What every record shares: frozen, closed, versioned, free of NaN, and named by its content."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1


class Record(BaseModel):
    """A value that may go to disk or over a wire."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def content_id(*parts: str) -> str:
    """Sixteen hex digits of the SHA-256 over length-prefixed parts.

    The length prefix keeps ("ab", "c") and ("a", "bc") apart.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:16]
