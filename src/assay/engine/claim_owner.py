"""The owner of a claim: one process of one machine, told apart from every other that ever was.

The rule: an owner is gone only where that can be seen: the same machine, the same table of
processes, and no process there of that number and that moment of birth.
"""

from __future__ import annotations

import contextlib
import os
import socket
import uuid

_BIRTH = 19  # of the words in /proc/PID/stat that follow the name: starttime


def this_owner() -> str:
    """Place, process, its birth, and a word of its own: one process may run several runs."""
    pid = os.getpid()
    return f"{_place()}:{pid}:{_birth(pid)}:{uuid.uuid4().hex[:8]}"


def is_gone(owner: str) -> bool:
    """Whether its process has ended without giving up its claims; False where nobody can tell."""
    place, _, rest = owner.rpartition(":")[0].partition(":")
    pid, _, birth = rest.partition(":")
    if place != _place() or not pid.isdigit():
        return False
    return _birth(int(pid)) != birth


def _place() -> str:
    """Containers may share a host's name, and have processes of their own."""
    with contextlib.suppress(OSError):
        return f"{socket.gethostname()}.{os.stat('/proc/self/ns/pid').st_ino}"
    return socket.gethostname()


def _birth(pid: int) -> str:
    """When it began, in ticks since the machine did; empty where there is no such process."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        words = file.read().rpartition(b")")[2].split()
        if words[0] not in (b"Z", b"X"):  # a zombie holds nothing any more
            return words[_BIRTH].decode()
    return ""
