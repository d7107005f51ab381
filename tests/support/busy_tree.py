"""A small tree of processes that never rest, for tests of freezing and killing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The root adopts orphans, as the init process does; one grandchild loses its parent at once.
_SOURCE = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
def spin():
    while True:
        pass
if os.fork() == 0:
    spin()
middle = os.fork()
if middle == 0:
    if os.fork() == 0:
        spin()
    os._exit(0)
os.waitpid(middle, 0)
sys.stdout.write("started")
sys.stdout.close()
spin()
"""
PROCESSES = 3


class BusyTree:
    """Started, and ended for sure."""

    def __enter__(self) -> BusyTree:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "input();" + f"exec({_SOURCE!r})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid = self._process.pid
        return self

    def start(self) -> None:
        """Begin to fork and spin: the root may have been put into a group before."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        self._process.stdout.read(7)

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def cpu_ticks(pids: list[int]) -> int:
    """Processor time all of them have used."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total
