"""The worker: a process of the daemon that serves one client after the other and stays warm.

The rule: a client that closes its side, or dies, ends its own evaluation and nothing else: its
worker is interrupted as Ctrl-C interrupts a command, cleans up and is ready for the next. A worker
ends with its daemon.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from assay.engine.daemon.greetings import ClientWork, receive_work
from assay.engine.daemon.warm_judge import JudgeKey, JudgeSeat, open_judge
from assay.errors import AssayError, HostError, Terminated
from assay.judge_process.judge_main import CallersLog, Sender
from assay.judge_process.messages import GO_ON, Done, Failed, Judged
from assay.termination import termination

READY = b"r"  # worker to daemon: the next client may come
HANDED = b"c"  # daemon to worker, with the descriptor of a client's connection
_CANCEL = signal.SIGUSR2
_PR_SET_PDEATHSIG = 1
_GONE = (BrokenPipeError, ConnectionResetError, EOFError)


class Cancelled(BaseException):
    """The client wants no more. No Exception: nobody may take it for somebody's failure."""


class Cancellation:
    """Watches a client's connection, and interrupts what this process does for the client."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self._wanted = False  # by the client, at any time
        self._waiting = False  # for a judgement: only there an interrupt may come
        self._stop, self._stopped = socket.socketpair()

    def __enter__(self) -> Cancellation:
        signal.signal(_CANCEL, self._interrupt)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.close()
        self._thread.join()
        signal.signal(_CANCEL, signal.SIG_IGN)
        self._stopped.close()

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within it the client's end raises Cancelled."""
        self._waiting = True
        try:
            if self._wanted:
                raise Cancelled
            yield
        finally:
            self._waiting = False

    def _interrupt(self, _: int, __: FrameType | None) -> None:
        self._wanted = True
        if self._waiting:
            self._waiting = False
            raise Cancelled

    def _watch(self) -> None:
        poller = select.poll()
        poller.register(self._client, select.POLLRDHUP)
        poller.register(self._stopped, select.POLLIN)
        ready = {descriptor for descriptor, _ in poller.poll()}
        if self._stopped.fileno() not in ready:
            signal.pthread_kill(threading.main_thread().ident or 0, _CANCEL)


@dataclass(frozen=True)
class Served:
    """What the client is told last, where it is still there; whether the judge may go on."""

    last: Done | Failed | None
    usable: bool = True


def serve(client: socket.socket, seat: JudgeSeat) -> Served:
    """Everything for one client but the last word."""
    sender = Sender(client)
    handler = CallersLog(sender)
    logging.getLogger().addHandler(handler)
    try:
        with Cancellation(client) as cancellation:
            _judge(receive_work(client), seat, sender, cancellation)
        return Served(Done())
    except AssayError as error:
        return Served(Failed(error=type(error).__name__, text=str(error)))
    except (Cancelled, *_GONE):
        _note("the client ended its evaluation")
        return Served(None)
    except Exception as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        return Served(Failed(error=HostError.__name__, text=text), usable=False)
    finally:
        logging.getLogger().removeHandler(handler)


def _judge(work: ClientWork, seat: JudgeSeat, sender: Sender, cancellation: Cancellation) -> None:
    """Send each judgement; the next begins when the client wants it."""
    job = work.job
    key = JudgeKey(work.folder, job.path, job.settings.device, job.settings.jobs)
    judge = seat.judge(key)
    stream = judge.evaluate_many(job.task, job.candidates, job.settings, sender.show, job.replay)
    with contextlib.closing(stream):
        for number in range(1, len(job.candidates) + 1):
            with cancellation.interruptible():
                judgement = next(stream)
            sender(Judged(judgement=judgement))
            if number < len(job.candidates) and sender.channel.recv(1) != GO_ON:
                raise EOFError("the client wants no more")


def _note(text: str) -> None:
    print(f"worker {os.getpid()}: {text}", file=sys.stderr, flush=True)  # noqa: T201


def _next_client(control: socket.socket) -> socket.socket | None:
    """The connection that is handed over; None when the daemon is gone."""
    _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
    if not descriptors:
        return None
    os.set_inheritable(descriptors[0], False)
    return socket.socket(fileno=descriptors[0])


def _work(control: socket.socket) -> None:
    """Serve clients until the daemon is gone; after a fault of ours with a new judge."""
    with contextlib.closing(JudgeSeat(open_judge)) as seat:
        while (client := _next_client(control)) is not None:
            with client:
                served = serve(client, seat)
                if not served.usable:
                    seat.close()
                control.sendall(READY)  # first: who is told of the end may come again at once
                if served.last is not None:
                    with contextlib.suppress(*_GONE):
                        Sender(client)(served.last)


def entry(arguments: list[str]) -> NoReturn:
    """Started by the daemon with a descriptor and its process id."""
    descriptor, daemon = map(int, arguments)
    os.set_inheritable(descriptor, False)
    signal.signal(_CANCEL, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    code = 0
    try:
        with termination():
            if os.getppid() == daemon:
                _work(socket.socket(fileno=descriptor))
    except (Terminated, *_GONE):
        code = 1
    sys.stderr.flush()
    os._exit(code)
