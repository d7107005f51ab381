"""RecordedBatch: a timed batch of each of the candidate's processes whose kernels are recorded.

The rule: it is made as all timed ones are, nobody knows which of them it is, and its time counts
for nothing. Who calls a library only where calls wait behind the gate is found out there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from assay.data.device import Device
from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.observation import CheckMissing
from assay.data.settings import Track
from assay.exam.device_code.library_device_code import library_code
from assay.exam.device_code.traced_kernels import asked_until_told, kernels_seen
from assay.sandbox.host.wall import Wall

Log = Callable[[], str]  # makes a batch in one process, and tells what is said of its kernels


class RecordedBatch:
    """Comes once among the first `least` rounds."""

    def __init__(self, least: int, rng: random.Random, track: Track) -> None:
        self._at = rng.randrange(least)
        self._track = track
        self.seen: list[KernelsSeen | CheckMissing] = []
        self._made = track is Track.OPEN  # where libraries may do everything

    def is_due(self, timed: int) -> bool:
        """After so many rounds that count."""
        return not self._made and timed >= self._at

    def make(self, logs: Sequence[Log], calls: int, wall: Wall, device: Device) -> None:
        """So many calls in each process. Raises ProcessLost where one ends."""
        self._made = True
        library = library_code(wall, device)
        for log in logs:
            self.seen += asked_until_told(
                lambda log=log: kernels_seen(log(), calls, library),  # type: ignore[misc]
                lambda: None,
                self._track,
            )
