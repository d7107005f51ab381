"""One timing at a time per device, across all processes of one user.

The rule: who times holds the device's lease. It is a lock on a file that the system takes back when
its holder dies, so nothing is ever left locked. The file names the holder for those who wait.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.data.device import Device
from assay.errors import HostError

_POLL_S = 0.05

Waiting = Callable[[int | None], None]  # told who holds the lease, where that is known


def device_key(device: Device) -> str:
    """What a lease is taken on: the device's UUID, or its kind where there is but one."""
    return device.uuid or device.kind


@contextmanager
def lease(device_key: str, wait_s: float, waiting: Waiting | None = None) -> Iterator[None]:
    """Hold the device; a HostError where it stays taken for `wait_s`.

    `waiting` is told the holder's process id once, and again whenever it changes. A lease is not
    re-entrant: threads of one process exclude each other too.
    """
    path = runtime_folder() / f"{re.sub(r'[^A-Za-z0-9.-]', '_', device_key)}.lease"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _take(descriptor, device_key, wait_s, waiting)
        _name_holder(descriptor, str(os.getpid()))
        try:
            yield
        finally:
            _name_holder(descriptor, "")
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # a child may still hold a copy of it
    finally:
        os.close(descriptor)


def runtime_folder() -> Path:
    """The user's own folder for things that need not outlive a boot, made if it is not there."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and os.path.isdir(given) and os.access(given, os.W_OK):
        folder = Path(given) / "assay"
    else:
        folder = Path("/tmp") / f"assay-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise HostError(f"leases cannot be kept in {folder}: {error}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise HostError(f"{folder} is not a folder of this user: leases cannot be kept in it")
    return folder


def _take(descriptor: int, device_key: str, wait_s: float, waiting: Waiting | None) -> None:
    deadline_s = time.monotonic() + wait_s
    told: list[int | None] = []
    while not _locked(descriptor):
        holder = _holder(descriptor)
        if waiting is not None and told != [holder]:
            told = [holder]
            waiting(holder)
        if time.monotonic() >= deadline_s:
            by = f"process {holder}" if holder is not None else "another process"
            raise HostError(f"{by} still holds the device {device_key} after {wait_s:g} s")
        time.sleep(_POLL_S)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0)
    return int(text) if text.isdigit() else None


def _name_holder(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)
