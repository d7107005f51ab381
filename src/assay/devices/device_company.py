"""DeviceCompany: processes on a device that are none of this judge's.

The rule: a candidate cannot be its own company. Whatever descends from the judge's process is the
judge's or a candidate's, and no process can leave that line: the warm parent and the init process
of every sandbox adopt orphans. Judges that take turns with this one are no company, nor is what
descends from them: the lease says when they are at work. The driver's list counts where it names
the judge itself, for then its numbers are those of this machine. Where it does not, the judges of
the same user still know each other by their locks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.devices.judge_presence import JudgePresence

_GONE_S = 1.0  # a process without a trace in /proc is listed no longer than this once it is dead
_GIB = 1 << 30


@dataclass(frozen=True)
class DeviceProcess:
    """A process that uses a device."""

    pid: int
    memory_bytes: int | None = None  # on the device; None where that is not told

    def __str__(self) -> str:
        if self.memory_bytes is None:
            return f"process {self.pid}"
        return f"process {self.pid} with {self.memory_bytes / _GIB:.1f} GiB"


def parent_of(pid: int) -> int | None:
    """Also of a process whose main thread has ended; None where there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def nobody(pid: int) -> bool:
    """No judge takes turns with this one."""
    return False


@dataclass(frozen=True)
class DeviceCompany:
    """Of one device, as the process that judges on it sees it."""

    listed: Callable[[], tuple[DeviceProcess, ...] | None]  # who uses the device, as it is told
    presence: JudgePresence | None = None  # of the judges of this user
    root: int = field(default_factory=os.getpid)
    parent: Callable[[int], int | None] = parent_of
    sleep: Callable[[float], None] = time.sleep
    takes_turns: Callable[[int], bool] = nobody  # whether a process is a judge that does

    def others(self) -> tuple[DeviceProcess, ...]:
        """Who else uses it now, and takes no turns; nobody where that cannot be told."""
        return self._found(self.takes_turns)

    def users(self) -> tuple[DeviceProcess, ...]:
        """The same with the judges that take turns, and their candidates: all may hold memory."""
        return self._found(nobody)

    def _found(self, left_out: Callable[[int], bool]) -> tuple[DeviceProcess, ...]:
        found = self._foreign(left_out)
        unseen = [one for one in found if self.parent(one.pid) is None]
        if unseen and len(unseen) == len(found):  # of another container, or just dead
            self.sleep(_GONE_S)
            still = {one.pid for one in self._foreign(left_out)}
            found = [one for one in unseen if one.pid in still]
        known = {one.pid for one in found}
        judges = self.presence.others() if self.presence is not None else ()
        others = [pid for pid in judges if pid not in known and not left_out(pid)]
        return (*found, *map(DeviceProcess, others))

    def _foreign(self, left_out: Callable[[int], bool]) -> list[DeviceProcess]:
        listed = self.listed() or ()
        if self.root not in {one.pid for one in listed}:
            return []
        return [one for one in listed if not self._is_known(one.pid, left_out)]

    def _is_known(self, pid: int, left_out: Callable[[int], bool]) -> bool:
        """Whether it descends from the judge, or from one left out.

        Also where a process of its line ends meanwhile.
        """
        line = pid
        while line != self.root and not left_out(line):
            above = self.parent(line)
            if above is None:
                return line != pid
            if above <= 0:
                return False
            line = above
        return True


def in_words(processes: Sequence[DeviceProcess], most: int = 4) -> str:
    """The largest of them."""
    by_size = sorted(processes, key=lambda one: one.memory_bytes or 0, reverse=True)
    more = [f"{len(by_size) - most} more"] if len(by_size) > most else []
    return ", ".join([*map(str, by_size[:most]), *more])
