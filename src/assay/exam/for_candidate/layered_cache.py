"""LayeredCache: what is known of an exam that one candidate's own workloads were added to.

The rule: what concerns the shared workloads is kept for all candidates, whoever asked first; what
concerns the added ones stays with the candidate for which they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LayeredCache(MutableMapping[K, V]):
    """Two mappings as one; a key says to which of them it belongs."""

    def __init__(self, shared: MutableMapping[K, V], is_shared: Callable[[K], bool]) -> None:
        self._shared = shared
        self._own: dict[K, V] = {}
        self._is_shared = is_shared

    def __getitem__(self, key: K) -> V:
        return self._layer(key)[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._layer(key)[key] = value

    def __delitem__(self, key: K) -> None:
        del self._layer(key)[key]

    def __iter__(self) -> Iterator[K]:
        yield from list(self._shared)
        yield from list(self._own)

    def __len__(self) -> int:
        return len(self._shared) + len(self._own)

    def _layer(self, key: K) -> MutableMapping[K, V]:
        return self._shared if self._is_shared(key) else self._own
