"""A turn to time: evaluations of one user do not time on the same device at the same moment.

The rule: waiting ends. Where the lock cannot be kept, or stays taken, the candidate is timed all
the same, and the remark that comes with its times says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from assay.data.device import Device
from assay.data.observations.observation import CheckMissing
from assay.data.progress import Report
from assay.devices.lease import device_key, lease
from assay.errors import HostError

_WAIT_S = 600.0  # a candidate is timed within two minutes; the system frees a dead one's lock
_CHECK = "timing alone"


@contextlib.contextmanager
def timing_turn(
    device: Device, report: Report, wait_s: float = _WAIT_S
) -> Iterator[CheckMissing | None]:
    """Hold the turn; a remark where it could not be had."""
    with contextlib.ExitStack() as held:
        yield _taken(held, device, report, wait_s)


def _taken(
    held: contextlib.ExitStack, device: Device, report: Report, wait_s: float
) -> CheckMissing | None:
    waiting = lambda _: report("waiting to time", None)  # noqa: E731
    try:
        held.enter_context(lease(device_key(device), wait_s, waiting))
    except (HostError, OSError) as error:
        return CheckMissing(check=_CHECK, reason=str(error), essential=False)
    return None
