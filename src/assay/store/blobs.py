"""Blobs: large content by the hash of itself, compressed, each stored once."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Collection
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
    return get_many(connection, [name])[name]


def get_many(connection: Connection, names: Collection[str]) -> dict[str, str]:
    """The texts of those ids."""
    asked = select(blobs.c.id, blobs.c.data).where(blobs.c.id.in_(names))
    found = {row.id: _text(row.id, row.data) for row in connection.execute(asked)}
    for name in set(names) - found.keys():
        raise HostError(f"the store lacks the blob {name}")
    return found


def _text(name: str, packed: bytes) -> str:
    data = zlib.decompress(packed)
    if hashlib.sha256(data).hexdigest() != name:
        raise HostError(f"the blob {name} is not what was stored")
    return data.decode("utf-8", "surrogatepass")
