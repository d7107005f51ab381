"""JudgePresence: which judges of this user work on a device.

The rule: each holds a lock on a file of its own as long as it lives. The system takes the lock back
when its holder dies, so nobody is taken for present who is gone. The folder is the user's own; no
sandbox shows it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
from pathlib import Path

from assay.devices.lease import runtime_folder


class JudgePresence:
    """This judge's, from now until it is closed or the process ends."""

    def __init__(self, device_key: str) -> None:
        name = re.sub(r"[^A-Za-z0-9.-]", "_", device_key)
        self._folder = runtime_folder() / f"{name}.judges"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._path = self._folder / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._descriptor = _locked_file(self._path)
        while not self._path.exists():  # another judge took it for a dead one's before the lock
            os.close(self._descriptor)
            self._descriptor = _locked_file(self._path)

    def others(self) -> tuple[int, ...]:
        """Process ids of the other judges that are alive; what dead ones left is removed."""
        own, found = os.getpid(), set()
        for path in sorted(self._folder.iterdir()):
            pid = path.name.partition("-")[0]
            if pid.isdigit() and int(pid) != own and _is_held(path):
                found.add(int(pid))
        return tuple(sorted(found))

    def close(self) -> None:
        """Gone from here on."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def _locked_file(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        with contextlib.suppress(OSError):
            path.unlink()
        return False
    finally:
        os.close(descriptor)
