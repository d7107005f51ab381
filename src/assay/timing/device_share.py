"""DeviceShare: how many candidates one judge process has on a device at the same time.

The rule: judge processes of one caller divide the memory of a device of its own among them. Where
the part of one holds no candidate, each has the whole device for as long as it judges one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from assay.errors import HostError
from assay.timing.device_lease import DeviceLease


class DeviceShare:
    """Of one lease."""

    def __init__(self, lease: DeviceLease, memory_bytes: int | None) -> None:
        self._lease = lease
        self._memory_bytes = memory_bytes  # None: memory of the host, which sandboxes are bound to
        self._is_crowded = False

    def divide(self, lanes: int) -> None:
        """Among so many judge processes, this one counted."""
        if lanes > 1 and not self._lease.is_among_judges:
            raise HostError("no lock by which several judge processes take turns can be kept")
        self._lease.lanes = lanes

    def allow(self, candidates: int, each_bytes: int) -> int:
        """So many at the same time, or as many as fit in; how many that are."""
        fit, lanes = candidates, self._lease.lanes
        if self._memory_bytes is not None:
            fit = min(candidates, self._memory_bytes // lanes // each_bytes)
        self._is_crowded = lanes > 1 and not fit
        self._lease.at_once = max(1, fit)
        return self._lease.at_once

    def of_candidate(self, waiting: Callable[[], None]) -> AbstractContextManager[None]:
        """The hold of the device for as long as one is judged."""
        if self._is_crowded:
            return self._lease.alone(waiting, quiet=True)
        return self._lease.shared(waiting)
