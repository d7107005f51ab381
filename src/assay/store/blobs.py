"""Blobs: large content by the hash of itself, compressed, each stored once."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select

from assay.errors import HostError
from assay.store.schema import blobs

_LEVEL = 6


def put(connection: Connection, insert: Callable[[Any], Any], text: str) -> str:
    """Store a text; its id."""
    data = text.encode("utf-8", "surrogatepass")
    name = hashlib.sha256(data).hexdigest()
    row = insert(blobs).values(id=name, data=zlib.compress(data, _LEVEL))
    connection.execute(row.on_conflict_do_nothing())
    return name


def get(connection: Connection, name: str) -> str:
    """The text of that id, checked against it."""
    packed = connection.execute(select(blobs.c.data).where(blobs.c.id == name)).scalar()
    if packed is None:
        raise HostError(f"the store lacks the blob {name}")
    data = zlib.decompress(packed)
    if hashlib.sha256(data).hexdigest() != name:
        raise HostError(f"the blob {name} is not what was stored")
    return data.decode("utf-8", "surrogatepass")
