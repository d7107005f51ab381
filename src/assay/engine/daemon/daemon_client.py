"""Evaluations by a running daemon where there is a fitting one, else in a process of our own.

The rule: who asks gets the same judgements either way. A daemon that is there and is not used, or
dies in the middle, is worth one line. Closing the iterator ends the evaluation and waits for that.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Progress, Show
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.engine.daemon.greetings import (
    ClientWork,
    DaemonStatus,
    Greeting,
    Refused,
    Reply,
    Welcome,
    Wish,
    receive_reply,
)
from assay.engine.daemon.peer_credentials import PeerCredentials
from assay.engine.daemon.session_identity import SessionIdentity
from assay.engine.daemon.socket_folder import SocketFolder
from assay.errors import HostError
from assay.judge_process.messages import (
    GO_ON,
    Done,
    Failed,
    Job,
    Judged,
    Logged,
    receive_message,
    send,
)

NO_DAEMON = "ASSAY_NO_DAEMON"
_REPLY_S = 5.0
_END_S = 30.0  # for a worker to end its judge process and sandboxes

Notice = Callable[[str], None]  # one line for the user


@dataclass(frozen=True)
class Asked:
    """What is to be judged: all of it read by the client."""

    task: Task
    candidates: Sequence[Candidate]
    settings: Settings
    replay: Plan | None = None

    def after(self, given: int) -> Asked:
        """What is left when so many candidates are through."""
        return Asked(self.task, self.candidates[given:], self.settings, self.replay)

    def work(self) -> ClientWork:
        """As a worker is told; what this process imports from, it may import from."""
        path = tuple(os.path.abspath(one) for one in sys.path)
        job = Job(
            task=self.task,
            candidates=tuple(self.candidates),
            settings=self.settings,
            replay=self.replay,
            path=path,
        )
        return ClientWork(job=job, folder=os.getcwd())


class DaemonLost(Exception):
    """The daemon or its worker ended in the middle."""


def evaluations(
    asked: Asked, progress: Show | None, notice: Notice, wanted: bool = True
) -> Generator[Judgement, None, None]:
    """All judgements in the order given, by the daemon as far as it goes."""
    given = 0
    channel = _channel(notice) if wanted and not os.environ.get(NO_DAEMON) else None
    if channel is not None:
        try:
            for judgement in _by_daemon(channel, asked, progress):
                given += 1
                yield judgement
            return
        except DaemonLost:
            notice("the daemon ended in the middle: going on in a process of its own")
    yield from _by_pipeline(asked.after(given), _shifted(progress, given, len(asked.candidates)))


def _by_pipeline(asked: Asked, progress: Show | None) -> Generator[Judgement, None, None]:
    from assay.pipeline import evaluate_many

    stream = evaluate_many(asked.task, asked.candidates, asked.settings, progress, asked.replay)
    with contextlib.closing(stream):
        yield from stream


def _shifted(progress: Show | None, given: int, total: int) -> Show | None:
    """Steps of the last candidates as steps of all."""
    if progress is None or given == 0:
        return progress

    def show(step: Progress) -> None:
        place = given + step.index
        progress(Progress(step.candidate, place, total, step.stage, step.fraction))

    return show


def _by_daemon(
    channel: socket.socket, asked: Asked, progress: Show | None
) -> Generator[Judgement, None, None]:
    through = False
    try:
        _said(send, channel, asked.work())
        for number in range(1, len(asked.candidates) + 1):
            yield _next(channel, asked, progress)
            if number < len(asked.candidates):
                _said(channel.sendall, GO_ON)
        through = True
    finally:
        with channel:
            if through:
                _drain(channel)
            else:
                _end(channel)


def _said(say: Callable[..., None], *arguments: object) -> None:
    try:
        say(*arguments)
    except OSError as error:
        raise DaemonLost from error


def _next(channel: socket.socket, asked: Asked, progress: Show | None) -> Judgement:
    while True:
        try:
            message = receive_message(channel)
        except (EOFError, OSError) as error:
            raise DaemonLost from error
        if isinstance(message, Judged):
            return message.judgement
        if isinstance(message, Failed):
            raise message.exception()
        if isinstance(message, Logged):
            logging.getLogger(message.logger).log(message.level, "%s", message.text)
        elif isinstance(message, Done):
            raise DaemonLost
        elif progress is not None:
            name, total = asked.candidates[message.index].name, len(asked.candidates)
            progress(Progress(name, message.index, total, message.stage, message.fraction))


def _drain(channel: socket.socket) -> None:
    """The worker's last word: it has cleaned up behind this evaluation."""
    with contextlib.suppress(EOFError, OSError):
        while not isinstance(receive_message(channel), Done | Failed):
            pass


def _end(channel: socket.socket) -> None:
    """Say that no more is wanted, and wait until nothing goes on."""
    with contextlib.suppress(OSError):
        channel.shutdown(socket.SHUT_WR)
        channel.settimeout(_END_S)
        while channel.recv(1 << 16):
            pass


def _channel(notice: Notice) -> socket.socket | None:
    """A connection that a worker has; None where there is no daemon or it must not be used."""
    found = _greeted("evaluate")
    if found is None:
        return None
    channel, reply = found
    if isinstance(reply, Welcome):
        channel.settimeout(None)
        return channel
    channel.close()
    reason = reply.reason if isinstance(reply, Refused) else "it answers something else"
    notice(f"the daemon is not used: {reason}")
    return None


def _greeted(wish: Wish) -> tuple[socket.socket, Reply] | None:
    """A connection and the daemon's answer; None where nobody of this user listens."""
    folder = SocketFolder.of_user()
    try:
        folder.check()
        token = folder.token()
        channel = folder.connect(_REPLY_S)
    except (HostError, OSError):
        return None
    try:
        if not PeerCredentials.of(channel).same_user:
            channel.close()
            return None
        send(channel, Greeting(token=token, wish=wish, identity=SessionIdentity.of_this_process()))
        return channel, receive_reply(channel)
    except EOFError:
        return channel, Refused(reason="it ended, or does not know this user's token")
    except OSError as error:
        return channel, Refused(reason=f"it does not answer: {error}")


def ask(wish: Wish) -> DaemonStatus | None:
    """The status of the running daemon, or of the one that stops now; None where there is none."""
    found = _greeted(wish)
    if found is None:
        return None
    channel, reply = found
    with channel:
        if not isinstance(reply, DaemonStatus):
            reason = reply.reason if isinstance(reply, Refused) else "it answers something else"
            raise HostError(f"the daemon cannot be asked: {reason}")
        if wish == "stop":
            _end_of(channel)
        return reply


def _end_of(channel: socket.socket) -> None:
    """Wait until the daemon has closed the connection."""
    channel.settimeout(_END_S)
    with contextlib.suppress(OSError):
        while channel.recv(1):
            pass
