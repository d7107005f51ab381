"""The daemon: greets clients, hands them to warm workers, and ends when nobody came for a while.

The rule: it runs no evaluation and parses nothing but greetings. A client of another user, without
the token or with another identity gets no worker. It refuses to run where a candidate could reach
its folder.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import select
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.engine.daemon.greetings import (
    DaemonStatus,
    Greeting,
    Refused,
    Welcome,
    receive_greeting,
)
from assay.engine.daemon.peer_credentials import PeerCredentials
from assay.engine.daemon.session_identity import SessionIdentity
from assay.engine.daemon.socket_folder import SocketFolder
from assay.engine.daemon.worker_handle import WorkerHandle
from assay.errors import HostError
from assay.judge_process.messages import send
from assay.judge_process.turns import most_at_once

_GREETING_S = 1.0  # for a client to say what it wants, once it is connected
_ANOTHER = "it is another version of Assay"
_GONE = (OSError, EOFError)


@dataclass
class Daemon:
    """One user's daemon, from its first client to its last."""

    folder: SocketFolder
    idle_s: float
    most_workers: int = field(default_factory=most_at_once)
    worker: str = "assay.engine.daemon.daemon_worker"  # the module that its workers run
    _workers: list[WorkerHandle] = field(default_factory=list)
    _served: int = 0
    _stop: bool = False
    _told_by: socket.socket | None = None  # to stop: closed when nothing is left

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until it is told to stop, or was idle for so long. Raises AlreadyRunning."""
        self.folder.make()
        with self.folder.locked():
            self._identity = SessionIdentity.of_this_process()
            self._token = self.folder.new_token()
            try:
                with self.folder.listen() as listening:
                    self._workers.append(WorkerHandle(self.worker))
                    ready()
                    self._serve(listening)
            finally:
                self.folder.remove_socket()
                for worker in self._workers:
                    worker.close()
                if self._told_by is not None:
                    self._told_by.close()

    def _serve(self, listening: socket.socket) -> None:
        _note(f"Assay {self._identity.assay} serves user {os.geteuid()}")
        self._began_s = self._used_s = time.monotonic()
        while not self._stop:
            if self._busy:
                self._used_s = time.monotonic()
            left_s = self.idle_s - (time.monotonic() - self._used_s)
            if left_s <= 0:
                _note(f"nobody came for {self.idle_s:g} s")
                return
            controls = [worker.control for worker in self._workers]
            ready, _, _ = select.select([listening, *controls], [], [], left_s)
            self._listen_to_workers()
            if listening in ready:
                client, _ = listening.accept()
                with client, contextlib.suppress(*_GONE):
                    self._greet(client)

    @property
    def _busy(self) -> int:
        return sum(worker.busy for worker in self._workers)

    def _listen_to_workers(self) -> None:
        """Who is ready again, and who is gone."""
        while ready := select.select([worker.control for worker in self._workers], [], [], 0)[0]:
            for worker in [one for one in self._workers if one.control in ready]:
                was_busy = worker.busy
                if not worker.listen():
                    _note(f"worker {worker.pid} ended unexpectedly")
                    self._workers.remove(worker)
                    worker.close()
                if was_busy:
                    self._used_s = time.monotonic()

    def _greet(self, client: socket.socket) -> None:
        client.settimeout(_GREETING_S)
        peer = PeerCredentials.of(client)
        if not peer.same_user:
            _note(f"process {peer.pid} of user {peer.uid} was turned away")
            return
        greeting = receive_greeting(client)
        if greeting is None:
            send(client, Refused(reason=_ANOTHER))
        elif not hmac.compare_digest(greeting.token.encode(), self._token.encode()):
            _note(f"process {peer.pid} does not know the token")
        else:
            self._answer(client, greeting)

    def _answer(self, client: socket.socket, greeting: Greeting) -> None:
        differs = self._identity.difference(greeting.identity)
        if greeting.wish == "status":
            send(client, self._status(differs))
        elif greeting.wish == "stop":
            self._stop, self._told_by = True, client.dup()
            send(client, self._status(differs))
            _note("told to stop")
        elif differs:
            send(client, Refused(reason=differs))
        else:
            self._hand_over(client)

    def _hand_over(self, client: socket.socket) -> None:
        """To a worker that is idle, or to a new one where there are not too many."""
        idle = [worker for worker in self._workers if not worker.busy]
        if not idle and len(self._workers) >= self.most_workers:
            send(client, Refused(reason=f"it is busy with {self._busy} evaluations"))
            return
        try:
            worker = idle[0] if idle else WorkerHandle(self.worker)
        except HostError as error:
            send(client, Refused(reason=str(error)))
            return
        if worker not in self._workers:
            self._workers.append(worker)
        client.settimeout(None)
        send(client, Welcome())
        if worker.hand_over(client):
            self._served += 1

    def _status(self, differs: str) -> DaemonStatus:
        now_s = time.monotonic()
        return DaemonStatus(
            pid=os.getpid(),
            assay=self._identity.assay,
            package=self._identity.package,
            running_s=round(now_s - self._began_s, 1),
            idle_s=self.idle_s,
            unused_s=0.0 if self._busy else round(now_s - self._used_s, 1),
            workers=len(self._workers),
            busy=self._busy,
            served=self._served,
            differs=differs,
        )


def check_reach(folder: SocketFolder) -> None:
    """Raise HostError where a candidate could reach the folder."""
    from assay.sandbox.host.wall import chosen_isolation, readable_paths
    from assay.sandbox.layers.probe import best_isolation
    from assay.sandbox.layers.spec import Isolation

    if chosen_isolation(best_isolation()) is Isolation.NONE:
        raise HostError(
            "no daemon on this machine: it has neither namespaces nor Landlock, so a candidate "
            "could reach the daemon's socket; evaluations work without it"
        )
    place = os.path.realpath(folder.path)
    for shown in readable_paths():
        if place == shown or place.startswith(f"{os.path.realpath(shown)}/"):
            raise HostError(f"{place} lies in {shown}, which candidates are shown: no daemon there")


def _note(text: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    print(f"{stamp} daemon {os.getpid()}: {text}", file=sys.stderr, flush=True)  # noqa: T201
