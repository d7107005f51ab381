"""The judge process: reads one job, judges it, sends what comes of it, ends.

The rule: it dies with its supervisor, ends when the caller goes away, and whatever fails in it
reaches the caller as a message. Forked copies of it send nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
import traceback
from dataclasses import dataclass, field

from assay.data.progress import Progress
from assay.data.record import Record
from assay.errors import AssayError, HostError, Terminated
from assay.judge_process.judging import judge_job
from assay.judge_process.messages import (
    GO_ON,
    Done,
    Failed,
    Job,
    Judged,
    Logged,
    Step,
    receive_job,
    send,
)
from assay.tasks.references.task_calls import announce_in
from assay.termination import termination

TRACE_SIGNAL = signal.SIGUSR1  # asks for the stacks of all threads, whoever holds the interpreter
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Handed:
    """What the supervisor hands over: three descriptors and its own process id."""

    channel: int  # to the caller
    calls: int  # the table of calls into task code
    trace: int  # a file for stacks
    supervisor: int  # its process id


@dataclass
class Sender:
    """The way to the caller, for every thread of this process and for no fork of it."""

    channel: socket.socket
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pid: int = field(default_factory=os.getpid)

    def __call__(self, record: Record) -> None:
        """Send one message whole."""
        if os.getpid() == self._pid:
            with self._lock:
                send(self.channel, record)

    def show(self, progress: Progress) -> None:
        """A stage of one candidate."""
        self(Step(index=progress.index, stage=progress.stage, fraction=progress.fraction))


class CallersLog(logging.Handler):
    """Hands log records to the caller."""

    def __init__(self, sender: Sender) -> None:
        super().__init__()
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        """Send one, as text."""
        with contextlib.suppress(OSError):
            text = self.format(record)
            self._sender(Logged(logger=record.name, level=record.levelno, text=text))


def main(handed: Handed) -> int:
    """Judge one job; the exit code says only whether the caller was told everything."""
    _die_with(handed.supervisor)
    for descriptor in (handed.channel, handed.calls, handed.trace):
        os.set_inheritable(descriptor, False)  # no program that is started from here gets them
    faulthandler.register(TRACE_SIGNAL, file=handed.trace, all_threads=True)
    announce_in(handed.calls)
    channel = socket.socket(fileno=handed.channel)
    try:
        with termination():
            return _serve(channel)
    except (Terminated, EOFError, BrokenPipeError, ConnectionResetError):
        return 1  # the caller is gone, or wants no more


def _serve(channel: socket.socket) -> int:
    sender = Sender(channel)
    logging.getLogger().addHandler(CallersLog(sender))
    job = receive_job(channel)
    sys.path[:] = job.path or sys.path
    try:
        _judge(job, sender, channel)
        sender(Done())
    except AssayError as error:
        sender(Failed(error=type(error).__name__, text=str(error)))
    except (BrokenPipeError, ConnectionResetError, EOFError):
        raise
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        sender(Failed(error=HostError.__name__, text=text))
    return 0


def _judge(job: Job, sender: Sender, channel: socket.socket) -> None:
    """Send each judgement; the next begins when the caller wants it."""
    with contextlib.closing(judge_job(job, sender.show)) as judgements:
        for number, judgement in enumerate(judgements, start=1):
            sender(Judged(judgement=judgement))
            if number < len(job.candidates) and channel.recv(1) != GO_ON:
                raise EOFError("the caller wants no more")


def _die_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        sys.exit(1)


def entry(arguments: list[str]) -> None:
    """Started by the supervisor with these four numbers."""
    channel, calls, trace, supervisor = map(int, arguments)
    code = main(Handed(channel, calls, trace, supervisor))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # no library's exit hook may keep it
