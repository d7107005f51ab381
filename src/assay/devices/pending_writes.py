"""PendingWrites: short runs of bytes that go to a device's memory together.

The rule: a call of the driver takes as long for eight bytes as for some thousand, and a refresh of
timed inputs has hundreds of runs. They are put off, and become words of equal size with the place
of each. A run that begins where an earlier one of its length did takes its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.devices.driver import Bytes, Places, Words

_WIDEST = 8  # bytes of a word


class PendingWrites:
    """Of one arena."""

    def __init__(self) -> None:
        self._runs: dict[tuple[int, int], dict[int, Bytes]] = defaultdict(dict)

    def add(self, offset: int, data: Bytes) -> None:
        """Put off one run; `data` is kept, not copied."""
        if data.nbytes:
            bits = offset | data.nbytes | _WIDEST
            self._runs[bits & -bits, data.nbytes][offset] = data

    def take(self) -> Iterator[tuple[Places, Words]]:
        """By size of word: where each goes, counted in such words, and the words; none is left."""
        runs, self._runs = self._runs, defaultdict(dict)
        for (width, nbytes), by_offset in runs.items():
            starts = np.fromiter(by_offset, np.int64, len(by_offset)) // width
            places = starts[:, None] + np.arange(nbytes // width)
            words = np.concatenate(list(by_offset.values())).view(f"i{width}")
            yield places.ravel(), words
