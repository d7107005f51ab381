"""The supervisor: starts one judge process, watches it, and leaves nothing of it behind.

The rule: it runs no code but its own, so no hang reaches it. It ends the judge process when the
caller closes its socket or dies (SIGTERM, then SIGKILL), and when a call into task code does not
come back in time. What the judge process orphans becomes its child, and is waited for or killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import select
import signal
import socket
import subprocess
import time
from dataclasses import asdict, dataclass

from assay.judge_process.starting import LIMIT, start
from assay.sandbox.host.activity import queued_ns
from assay.sandbox.host.control_group import remove_leftovers, thaw_leftovers
from assay.sandbox.host.deadline import own_seconds
from assay.tasks.references.task_calls import TaskCall, TaskCalls

_TICK_S = 0.25
_GRACE_S = 5.0  # from SIGTERM to SIGKILL
_ORPHANS_S = 10.0  # for a warm parent to end its sandboxes
_ALONE_S = 0.5  # for one without any, which may be importing for seconds more
_TRACE_S = 0.3
_PR_SET_CHILD_SUBREAPER = 36
_TASK_LINE = re.compile(r'File "<task [^"]*", line (\d+) in (\S+)')


@dataclass(frozen=True)
class Ending:
    """Supervisor to caller, as JSON: how the judge process ended."""

    code: int  # as subprocess says it: negative for a signal
    call: str = ""  # into task code, that was going on
    hung_s: float = 0.0  # for so long, and so it was ended
    where: str = ""  # the innermost line of the task's source


class Supervisor:
    """One judge process and what comes of it."""

    def __init__(self, caller: int, status: socket.socket, limit_s: float) -> None:
        self._caller = caller
        self._status = status
        self._limit_s = limit_s
        self._stopped = False
        self._trace = os.memfd_create("trace")
        self._table = TaskCalls.create()
        self._calls = TaskCalls(self._table)
        self._seen = 0  # number of the call that was seen last
        self._queued_ns: dict[str, int] = {}  # by thread, when it was first seen
        self._heard = b""  # of the caller's next limit

    def run(self, channel: int) -> Ending:
        """Start it, and return when nothing of it is left."""
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, self._stop)
        descriptors = (channel, self._table, self._trace)
        judge = start("assay.judge_process.judge_main", (*descriptors, os.getpid()), descriptors)
        os.close(channel)
        try:
            return self._watch(judge)
        finally:
            _end(judge)
            _end_orphans(groups := f"assay-{judge.pid}-")
            remove_leftovers(groups)

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _watch(self, judge: subprocess.Popen[bytes]) -> Ending:
        poller = select.poll()
        poller.register(self._status, select.POLLIN)
        with contextlib.suppress(OSError):  # else the end is seen at the next tick
            poller.register(os.pidfd_open(judge.pid), select.POLLIN)
        while judge.poll() is None:
            call = self._calls.longest()
            if call is not None and self._own_s(judge.pid, call) > self._limit_s:
                return self._hung(judge, call)
            ready = {descriptor for descriptor, _ in poller.poll(_TICK_S * 1e3)}
            closed = self._status.fileno() in ready and not self._hears_limit()
            if self._stopped or closed or os.getppid() != self._caller:
                _end(judge)
        call = self._calls.longest()
        return Ending(judge.returncode, call.what if call else "")

    def _hears_limit(self) -> bool:
        """Take the limit of the next job's calls; False where the caller closed its end."""
        try:
            piece = self._status.recv(LIMIT.size - len(self._heard))
        except OSError:
            return False
        self._heard += piece
        if len(self._heard) == LIMIT.size:
            (self._limit_s,) = LIMIT.unpack(self._heard)
            self._heard = b""
        return bool(piece)

    def _own_s(self, pid: int, call: TaskCall) -> float:
        """How long it has been going on; waiting for a processor does not count, within limits."""
        queued_ns_now = queued_ns(pid)
        if call.number != self._seen:
            self._seen, self._queued_ns = call.number, queued_ns_now
        grown = [ns - self._queued_ns.get(path, ns) for path, ns in queued_ns_now.items()]
        return own_seconds(call.seconds, max(grown, default=0) / 1e9)

    def _hung(self, judge: subprocess.Popen[bytes], call: TaskCall) -> Ending:
        judge.send_signal(signal.SIGUSR1)
        time.sleep(_TRACE_S)
        where = self._where()
        judge.kill()  # who hangs in C code is deaf to SIGTERM
        judge.wait()
        return Ending(judge.returncode, call.what, call.seconds, where)

    def _where(self) -> str:
        """The innermost line of the task's own source in the stacks that were written."""
        found = _TASK_LINE.search(os.pread(self._trace, 1 << 16, 0).decode("utf-8", "replace"))
        return f"line {found[1]}, in {found[2]}" if found else ""


def _end(judge: subprocess.Popen[bytes]) -> None:
    if judge.poll() is None:
        judge.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            judge.wait(_GRACE_S)
        judge.kill()
        judge.wait()


def _end_orphans(groups: str) -> None:
    """The warm parent ends its sandboxes itself when its judge is gone; who does not is killed."""
    began_s = time.monotonic()
    with contextlib.suppress(ChildProcessError):
        while (waited_s := time.monotonic() - began_s) < 2 * _ORPHANS_S:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            if waited_s > _ORPHANS_S:
                thaw_leftovers(groups)  # the older freezer holds what is killed, too
            for pid in _children_of(os.getpid()):
                if waited_s > _ORPHANS_S or (waited_s > _ALONE_S and not _children_of(pid)):
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


def _children_of(pid: int) -> list[int]:
    """Of its main thread, which is the one that forks in all our processes."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]
    return []


def entry(arguments: list[str]) -> None:
    """Started by the caller with two descriptors, its process id and the limit of one call."""
    channel, number, caller = map(int, arguments[:3])
    status = socket.socket(fileno=number)
    ending = Supervisor(caller, status, float(arguments[3])).run(channel)
    with contextlib.suppress(OSError):
        status.sendall(json.dumps(asdict(ending)).encode())
