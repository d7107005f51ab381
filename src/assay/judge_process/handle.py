"""JudgeProcess: the caller's hold on one judge process.

The rule: nothing of the caller changes but two sockets and one child, and both are gone when it is
closed. In a forked copy of the caller closing it leaves the judge process alone. One that is
through with a job may be handed another.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
from collections.abc import Callable

from assay.data.observations.observation import HostFailed, TaskBroken
from assay.judge_process.messages import GO_ON, STOP, Job, Message, receive_message, send
from assay.judge_process.starting import LIMIT, start, threads_of

_CLOSING_S = 40.0  # the supervisor needs at most 5 s for the judge and 20 s for what it leaves
_KILLED = -9
_LOOK_S = 0.25  # between two looks whether an answer is still wanted


class JudgeProcess:
    """Started at once; gives messages until the judge process is through, or is closed."""

    def __init__(self, job: Job, at_work: int = 1) -> None:
        self._pid = os.getpid()
        self._job = job
        ours, theirs = socket.socketpair()
        self._status, told = socket.socketpair()
        self._channel = ours
        with theirs, told:
            keep = (theirs.fileno(), told.fileno())
            numbers = (*keep, self._pid, job.settings.timeout_s)
            try:
                module = "assay.judge_process.supervisor"
                set_over = threads_of(job.settings, at_work)
                self._process = start(module, numbers, keep, set_over)
            except BaseException:
                ours.close()
                self._status.close()
                raise
        self._send(job)

    def can_take(self, job: Job) -> bool:
        """Whether it lives, and imports from where that job does."""
        lives = self._process.poll() is None and not self._has_something_to_read(0.0)
        return lives and self._job.path == job.path

    def hand(self, job: Job) -> None:
        """Another job, after it was through with the last one."""
        self._job = job
        with contextlib.suppress(OSError):  # `receive` will say so
            self._status.sendall(LIMIT.pack(job.settings.timeout_s))
        self._send(job)

    def _send(self, job: Job) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `ending` says why
            send(self._channel, job)

    def receive(self, watch: Callable[[], None] | None = None) -> Message:
        """The next message. Raises EOFError when the judge process is gone.

        `watch` is called four times a second meanwhile; what it raises ends the waiting.
        """
        while watch is not None and not self._has_something_to_read(_LOOK_S):
            watch()
        return receive_message(self._channel)

    def _has_something_to_read(self, wait_s: float) -> bool:
        """A message, or the end of the channel; between two jobs only its end can come."""
        poller = select.poll()
        poller.register(self._channel, select.POLLIN)
        return bool(poller.poll(wait_s * 1e3))

    def go_on(self) -> None:
        """Ask for the next judgement."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `receive` will say so
            self._channel.sendall(GO_ON)

    def stop(self) -> None:
        """Ask for no further judgement of this job; `Done` follows."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `receive` will say so
            self._channel.sendall(STOP)

    def ending(self) -> TaskBroken | HostFailed:
        """Why it ended before it was through; waits until nothing of it is left."""
        try:
            told = json.loads(self._until_gone())
        except ValueError:
            return HostFailed(text="the supervisor of the judge process ended unexpectedly")
        call, where = told["call"], f" ({told['where']})" if told["where"] else ""
        if told["hung_s"]:
            limit_s = self._job.settings.timeout_s
            return TaskBroken(text=f"{call} did not come back within {limit_s:g} s{where}")
        how = _words(told["code"])
        if call and told["code"] != _KILLED:
            return TaskBroken(text=f"{call} ended the process: {how}")
        return HostFailed(text=f"the judge process ended: {how}")

    def close(self) -> None:
        """End it with everything behind it, and wait for that."""
        if os.getpid() == self._pid:
            with contextlib.suppress(OSError):
                self._status.shutdown(socket.SHUT_WR)
            self._until_gone()
        self._channel.close()
        self._status.close()

    def _until_gone(self) -> bytes:
        """What the supervisor says at its end."""
        said = b""
        self._status.settimeout(_CLOSING_S)
        with contextlib.suppress(OSError):
            while piece := self._status.recv(1 << 16):
                said += piece
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        return said


def _words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    kept = " (the system may lack memory)" if code == _KILLED else ""
    return f"signal {-code}{kept}"
