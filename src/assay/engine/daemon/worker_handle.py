"""WorkerHandle: the daemon's hold on one worker.

The rule: a worker holds one client at a time, and no descriptor of the daemon but their own.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess

from assay.engine.daemon.daemon_worker import HANDED, READY
from assay.judge_process.starting import start

_END_S = 30.0  # a judge process and its sandboxes are ended meanwhile


class WorkerHandle:
    """Started at once, by the `entry` of a module; idle until a client is handed to it."""

    def __init__(self, module: str) -> None:
        self.control, theirs = socket.socketpair()
        self.busy = False
        with theirs:
            numbers = (theirs.fileno(), os.getpid())
            keep = (theirs.fileno(),)
            self._process = start(module, numbers, keep)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def hand_over(self, client: socket.socket) -> bool:
        """Give it a client's connection; False where it is gone."""
        try:
            socket.send_fds(self.control, [HANDED], [client.fileno()])
        except OSError:
            return False
        self.busy = True
        return True

    def listen(self) -> bool:
        """Read what it says; False where it is gone."""
        try:
            said = self.control.recv(1)
        except OSError:
            said = b""
        if said == READY:
            self.busy = False
        return bool(said)

    def close(self) -> None:
        """End it with everything behind it."""
        self.control.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
