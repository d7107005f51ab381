"""AgentKeeper: the process that starts an agent, and that ends everything the agent started.

    python -m assay.generators.agent.agent_keeper COMMAND...

Its standard input is a pipe of the caller. When that closes, because the caller says so or because
it died, however that happens, the agent's process group is ended, and so is every process that left
the group: orphans become the keeper's children.

The rule: nothing of an agent outlives its ask.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_SET_CHILD_SUBREAPER = 36  # of prctl
_PATIENCE_S = 3.0  # between SIGTERM and SIGKILL


def main(command: list[str]) -> int:
    """Start the agent and wait; its exit code, or 128 + the signal that ended it."""
    ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    agent = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    watched = select.poll()
    watched.register(os.pidfd_open(agent.pid), select.POLLIN)
    watched.register(0, select.POLLIN | select.POLLHUP)
    watched.poll()
    if agent.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(agent.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            agent.wait(_PATIENCE_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(agent.pid, signal.SIGKILL)
    agent.wait()
    _end_orphans()
    code = agent.returncode
    return code if code >= 0 else 128 - code


def _end_orphans() -> None:
    """Kill children until none is left: those of a killed one become ours in turn."""
    end = time.monotonic() + _PATIENCE_S
    while (children := _children()) and time.monotonic() < end:
        for child in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def _children() -> list[int]:
    me = os.getpid()
    text = Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii")
    return [int(one) for one in text.split()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
