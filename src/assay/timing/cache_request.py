"""What was asked of the caches, and what a reader should know of what came of it."""

from __future__ import annotations

from assay.data.device import Device
from assay.data.settings import Cache

_WARM = {Cache.COLD: (False,), Cache.WARM: (True,), Cache.BOTH: (False, True)}
_NOT_COLD = "cold was asked for, but the inputs of a batch fit into the cache"
_NOT_WARM = "one call moves more than the cache holds: at one place it is hardly warmer"


def warm_or_not(asked: Cache) -> tuple[bool, ...]:
    """Whether all calls of a batch share one place, for each row of rounds to be run."""
    return _WARM[asked]


def cache_remarks(asked: Cache, state: str, warm: bool) -> tuple[str, ...]:
    """Where two states were to be told apart and are one."""
    return (_NOT_COLD,) if asked is Cache.BOTH and not warm and state == "warm" else ()


def place_remarks(device: Device, call_bytes: int, warm: bool) -> tuple[str, ...]:
    """Where one place is as good as none."""
    llc = device.caches.llc_bytes
    return (_NOT_WARM,) if warm and llc is not None and call_bytes > llc else ()
