"""ProcessTree: every process of one sandbox, counted, frozen and killed from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path
from typing import Protocol

from assay.sandbox.host.control_group import ControlGroup

_SETTLE_ROUNDS = 50


class ProcessTree(Protocol):
    """What the host needs of a tree, however the machine provides it."""

    turn: threading.Lock  # of who traces a thread, or stops the tree in a way that minds it

    @property
    def layers(self) -> tuple[str, ...]:
        """What holds the tree, in words."""

    def pids(self) -> list[int]:
        """Every live process."""

    def freeze(self) -> None:
        """Stop all of it; returns once it stands still."""

    def thaw(self) -> None:
        """Let all of it go on."""

    def kill(self) -> None:
        """End all of it."""

    def out_of_memory_kills(self) -> int:
        """How often the kernel killed in it for want of memory."""


def resident_bytes(pid: int) -> int:
    """Resident memory of one process; 0 once it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def proportional_bytes(pid: int) -> int:
    """Resident memory with shared pages divided among those who share them; slower to read."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return resident_bytes(pid)


def descendants(root: int) -> list[int]:
    """The root and everything below it, by parenthood."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            parent = _parent(int(entry))
            if parent is not None:
                parents.setdefault(parent, []).append(int(entry))
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append(pid)
        queue += parents.get(pid, [])
    return found


def _parent(pid: int) -> int | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[1])


class GroupTree:
    """A tree held by control groups."""

    def __init__(self, root: int, group: ControlGroup) -> None:
        self._root = root
        self._group = group
        self.turn = threading.Lock()
        self.layers = group.layers
        group.add(root)

    def pids(self) -> list[int]:
        """Every live process."""
        return self._group.pids()

    def freeze(self) -> None:
        """Stop everything at once."""
        with self.turn:
            self._group.freeze()

    def thaw(self) -> None:
        """Let everything go on."""
        self._group.thaw()

    def kill(self) -> None:
        """End everything and remove the groups."""
        for _ in range(_SETTLE_ROUNDS):
            pids = self._group.pids()
            if not pids:
                break
            _signal_all(pids, signal.SIGKILL)
            self._group.thaw()
            time.sleep(0.002)
        self._group.remove()

    def out_of_memory_kills(self) -> int:
        """The kernel's own count."""
        return self._group.out_of_memory_kills()


class SignalTree:
    """A tree held by signals alone: stopped again and again until nothing new appears."""

    def __init__(self, root: int) -> None:
        self._root = root
        self.turn = threading.Lock()  # stop signals reach a traced thread as well: nobody waits
        self.layers = ("signal freezer",)

    def pids(self) -> list[int]:
        """Every live process; the init process adopts orphans, so parenthood finds them all."""
        return descendants(self._root)

    def freeze(self) -> None:
        """Stop until the set of processes no longer changes."""
        stopped: set[int] = set()
        for _ in range(_SETTLE_ROUNDS):
            pids = set(self.pids())
            if pids <= stopped and all(_is_stopped(p) for p in pids):
                return
            _signal_all(pids - stopped, signal.SIGSTOP)
            stopped |= pids

    def thaw(self) -> None:
        """Continue everything."""
        _signal_all(self.pids(), signal.SIGCONT)

    def kill(self) -> None:
        """Stop first, so that nothing forks away from the kill."""
        self.freeze()
        for _ in range(_SETTLE_ROUNDS):
            pids = self.pids()
            _signal_all(pids, signal.SIGKILL)
            if not any(_parent(p) is not None for p in pids):
                return
            time.sleep(0.002)

    def out_of_memory_kills(self) -> int:
        """Not visible without a control group."""
        return 0


def _is_stopped(pid: int) -> bool:
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state in "TtZX"
    return True


def _signal_all(pids: list[int] | set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
