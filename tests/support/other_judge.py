"""Another process that takes turns on a device: it calls what it is told, and answers."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from assay.devices.judges_lock import JudgesLock, judges_lock

KEY = "GPU-turns"
SPAWN = multiprocessing.get_context("spawn")


def asked(lock: JudgesLock, name: str, *arguments: Any) -> Any:
    """A method or a property of a lock, by name."""
    found = getattr(lock, name)
    return found(*arguments) if callable(found) else found


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
        self._connection.send((name, *arguments))
        assert self._connection.poll(60.0), f"no answer to {name}"
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
