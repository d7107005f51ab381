"""Starting a daemon that outlives the command.

The rule: the command returns when the daemon listens, or says why it does not.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from pathlib import Path

from assay.engine.daemon.daemon_server import Daemon, check_reach
from assay.engine.daemon.socket_folder import AlreadyRunning, SocketFolder
from assay.errors import AssayError, HostError, Terminated
from assay.termination import termination

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from assay.engine.daemon.background import entry; entry(sys.argv[2:])"
)
_START_S = 30.0
_LISTENS, _RUNS_ALREADY = "listens", "runs already"


def run_here(folder: SocketFolder, idle_s: float) -> None:
    """Be the daemon, until it ends. Raises AlreadyRunning, HostError."""
    check_reach(folder)
    Daemon(folder, idle_s).run()


def start_in_background(folder: SocketFolder, idle_s: float) -> None:
    """Start one and wait until it listens. Raises AlreadyRunning, HostError."""
    check_reach(folder)
    folder.make()
    package_root = str(Path(__file__).resolve().parents[3])
    told, tell = os.pipe()
    log = folder.open_log()
    try:
        command = [sys.executable, "-P", "-c", _START, package_root]
        process = subprocess.Popen(
            [*command, str(folder.path), repr(idle_s), str(tell)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(tell,),
            start_new_session=True,
            cwd="/",
        )
    finally:
        os.close(tell)
        os.close(log)
    with open(told, "rb") as file:
        answered = select.select([file], [], [], _START_S)[0]
        said = file.read().decode() if answered else "it does not answer"
    if said == _RUNS_ALREADY:
        raise AlreadyRunning(f"a daemon of this user {said}")
    if said != _LISTENS:
        process.kill()
        process.wait()
        raise HostError(f"the daemon did not start ({folder.log}): {said or 'it ended'}")


def entry(arguments: list[str]) -> None:
    """Started by `start_in_background` with folder, idle time and where to say how it went."""
    tell = int(arguments[2])
    os.set_inheritable(tell, False)

    def say(text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(tell, text.encode())
        os.close(tell)

    try:
        with termination():
            daemon = Daemon(SocketFolder(Path(arguments[0])), float(arguments[1]))
            daemon.run(ready=lambda: say(_LISTENS))
    except AlreadyRunning:
        say(_RUNS_ALREADY)
    except AssayError as error:
        say(str(error))
    except Terminated:
        sys.exit(1)
