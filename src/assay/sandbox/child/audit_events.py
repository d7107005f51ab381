"""Audit: what candidate code asks of the interpreter, through Python's own audit events.

The rule: only what the candidate's own files ask for counts - directly, or through the standard
library alone; what torch, Triton, Numba or the import system do on its behalf does not. An audit
hook cannot be removed from Python, but native code never meets it: testimony.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from types import FrameType
from typing import Any

_MOST = 200  # distinct lines that are kept
_DEPTH = 60  # frames that are looked at


class Audit:
    """Lines `audit.EVENT<TAB>detail`, each once."""

    def __init__(self, own_folder: str, allowed: tuple[str, ...]) -> None:
        self._own = own_folder
        self.writable = ("/dev/", "/tmp/", os.path.dirname(own_folder))
        self._allowed = allowed
        self._library = tuple(sysconfig.get_paths()[k] for k in ("stdlib", "platstdlib"))
        self._packages = tuple(sysconfig.get_paths()[k] for k in ("purelib", "platlib"))
        self._inside = False
        self.lines: dict[str, None] = {}

    def install(self) -> None:
        """From now on, for the life of the process."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        describe = _EVENTS.get(event)
        if describe is None or self._inside or len(self.lines) >= _MOST:
            return
        self._inside = True  # looking at frames raises events of its own
        try:
            found = describe(self, arguments)
            if found is not None and self._is_candidates(event):
                self.lines[found] = None
        finally:
            self._inside = False

    def _is_candidates(self, event: str) -> bool:
        """Whether the nearest frame outside the standard library is the candidate's."""
        frame: FrameType | None = sys._getframe(2)
        for _ in range(_DEPTH):
            if frame is None:
                return False
            name = frame.f_code.co_filename
            if name.startswith((self._own, "<string>")):
                return True
            direct = event == "sys._getframe" and not name.endswith("inspect.py")
            if direct or name.startswith("<frozen") or not self._is_standard(name):
                return False
            frame = frame.f_back
        return False

    def _is_standard(self, name: str) -> bool:
        return name.startswith(self._library) and not name.startswith(self._packages)

    def outside(self, path: object) -> str | None:
        """The path, where a kernel has no business there."""
        if not isinstance(path, str | bytes):
            return None
        text = os.path.abspath(os.fsdecode(path))
        return None if text.startswith(self._allowed) else text


def _opened(audit: Audit, arguments: tuple[Any, ...]) -> str | None:
    path, mode, flags = arguments[:3]
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    writes = writes or (isinstance(mode, str) and any(letter in mode for letter in "wax+"))
    if writes and isinstance(path, str | bytes):
        text = os.path.abspath(os.fsdecode(path))
        return None if text.startswith(audit.writable) else f"audit.write\t{text}"
    outside = audit.outside(path)
    return None if outside is None else f"audit.read\t{outside}"


def _made_folder(audit: Audit, arguments: tuple[Any, ...]) -> str | None:
    if not isinstance(arguments[0], str | bytes):
        return None
    text = os.path.abspath(os.fsdecode(arguments[0]))
    return None if text.startswith(audit.writable) else f"audit.write\t{text}"


def _listed(audit: Audit, arguments: tuple[Any, ...]) -> str | None:
    outside = audit.outside(arguments[0]) if arguments and arguments[0] is not None else None
    return None if outside is None else f"audit.list\t{outside}"


def _named(kind: str) -> Callable[[Audit, tuple[Any, ...]], str | None]:
    return lambda _audit, arguments: f"audit.{kind}\t{str(arguments[1:3])[:120]}"


_EVENTS: dict[str, Callable[[Audit, tuple[Any, ...]], str | None]] = {
    "open": _opened,
    "os.mkdir": _made_folder,
    "os.listdir": _listed,
    "os.scandir": _listed,
    "socket.connect": _named("socket"),
    "socket.bind": _named("socket"),
    "socket.sendto": _named("socket"),
    "socket.getaddrinfo": _named("socket"),
    "os.fork": _named("fork"),
    "os.forkpty": _named("fork"),
    "os.kill": _named("kill"),
    "os.killpg": _named("kill"),
    "sys._getframe": _named("frames"),
    "sys._current_frames": _named("frames"),
    "gc.get_objects": _named("gc"),
    "gc.get_referrers": _named("gc"),
    "sys.settrace": _named("trace"),
    "sys.setprofile": _named("trace"),
}
