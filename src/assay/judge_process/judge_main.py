"""The judge process: reads a job, judges it, sends what comes of it; then the next, or its end.

The rule: it dies with its supervisor, ends when the caller goes away, and whatever fails in it
reaches the caller as a message. Forked copies of it send nothing. It serves a further job only
where the last one said what may be kept, and where nothing failed.
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
from assay.judge_process.kept_exams import KeptExams
from assay.judge_process.messages import (
    GO_ON,
    STOP,
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
# A thread that waits for the interpreter asks the one that computes for it after so long. Each of a
# candidate's thousands of system calls gives it up, and Python's 5 ms are longer than most of them:
# with sixteen candidates at a time on an H200 four in five of 16 processors were idle.
_SWITCH_S = 0.0005


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
    """Judge what comes; the exit code says only whether the caller was told everything."""
    _die_with(handed.supervisor)
    for descriptor in (handed.channel, handed.calls, handed.trace):
        os.set_inheritable(descriptor, False)  # no program that is started from here gets them
    faulthandler.register(TRACE_SIGNAL, file=handed.trace, all_threads=True)
    announce_in(handed.calls)
    sys.setswitchinterval(_SWITCH_S)
    channel = socket.socket(fileno=handed.channel)
    try:
        with termination():
            return _serve(channel)
    except (Terminated, EOFError, BrokenPipeError, ConnectionResetError):
        return 1  # the caller is gone, or wants no more


def _serve(channel: socket.socket) -> int:
    sender = Sender(channel)
    logging.getLogger().addHandler(CallersLog(sender))
    with contextlib.closing(KeptExams()) as kept_exams:
        while _serve_one(receive_job(channel), sender, kept_exams):
            pass
    return 0


def _serve_one(job: Job, sender: Sender, kept_exams: KeptExams) -> bool:
    """Judge one job; whether another may follow."""
    sys.path[:] = job.path or sys.path
    try:
        _judge(job, sender, kept_exams)
        done = kept_exams.settled(job)
        sender(done)
        return job.keep is not None and not done.spent
    except AssayError as error:
        sender(Failed(error=type(error).__name__, text=str(error)))
    except (BrokenPipeError, ConnectionResetError, EOFError):
        raise
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        sender(Failed(error=HostError.__name__, text=text))
    return False


def _judge(job: Job, sender: Sender, kept_exams: KeptExams) -> None:
    """Send each judgement; the next begins when the caller wants it."""
    with contextlib.closing(judge_job(job, sender.show, kept_exams)) as judgements:
        for number, judgement in enumerate(judgements, start=1):
            sender(Judged(judgement=judgement))
            if number == len(job.candidates):
                return
            word = sender.channel.recv(1)
            if word == STOP:
                return
            if word != GO_ON:
                raise EOFError("the caller wants no more")


def _die_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        sys.exit(1)


def entry(arguments: list[str]) -> None:
    """Started by the supervisor with these four numbers."""
    channel, calls, trace, supervisor = map(int, arguments)
    code = 1
    with contextlib.suppress(Terminated):  # whoever asks it to end may do so while it ends
        code = main(Handed(channel, calls, trace, supervisor))
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)  # no library's exit hook may keep it
