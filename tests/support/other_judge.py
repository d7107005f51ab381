"""Another process that takes turns on a device: it calls what it is told, and answers."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from assay.devices.judges_lock import JudgesLock, judges_lock

KEY = "GPU-turns"
SPAWN = multiprocessing.get_context("spawn")


def asked(lock: JudgesLock, name: str, *arguments: Any) -> Any:
    """A method or a property of a lock, by name, or `feel`."""
    if name == "feel":
        return feel(lock, *arguments)
    found = getattr(lock, name)
    return found(*arguments) if callable(found) else found


def feel(lock: JudgesLock, times: int) -> int:
    """Share a device, keep others out for a moment, and make room; how often that was done."""
    for _ in range(times):
        while not lock.share(arrives=True):
            time.sleep(0.001)
        with lock.others_kept_out():
            pass
        lock.unshare()
        lock.leave()
    return times


def _serve(connection: Connection) -> None:
    lock = judges_lock(KEY)
    lock.join()
    connection.send("here")
    while (words := connection.recv()) is not None:
        connection.send(asked(lock, *words))


class OtherJudge:
    """Alive within `with`, unless it is killed."""

    def __init__(self) -> None:
        self._connection, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()

    def __call__(self, name: str, *arguments: Any) -> Any:
        self.begin(name, *arguments)
        return self.end()

    def begin(self, name: str, *arguments: Any) -> None:
        self._connection.send((name, *arguments))

    def end(self) -> Any:
        assert self._connection.poll(60.0), "no answer"
        return self._connection.recv()

    def __enter__(self) -> OtherJudge:
        assert self._connection.poll(60.0) and self._connection.recv() == "here"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s
