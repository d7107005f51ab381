"""`assay daemon`: start, stop or ask the session that stays warm.

The rule: starting one that runs already, and stopping one that does not, are no mistakes.
"""

from __future__ import annotations

import sys

from assay.app.flag_settings import note
from assay.app.flags import DaemonFlags
from assay.engine.daemon.background import run_here, start_in_background
from assay.engine.daemon.daemon_client import ask
from assay.engine.daemon.greetings import DaemonStatus
from assay.engine.daemon.socket_folder import AlreadyRunning, SocketFolder


def run(flags: DaemonFlags) -> int:
    """Do what was asked, and say how the daemon stands."""
    if flags.action == "stop":
        return _stopped(flags)
    if flags.action == "start":
        folder = SocketFolder.of_user()
        try:
            if flags.foreground:
                run_here(folder, flags.idle_s)
                return 0
            start_in_background(folder, flags.idle_s)
        except AlreadyRunning as error:
            note(str(error))
    return _status(flags)


def _stopped(flags: DaemonFlags) -> int:
    status = ask("stop")
    if flags.json:
        sys.stdout.write(f'{{"stopped": {"true" if status else "false"}}}\n')
    else:
        said = f"stopped (process {status.pid})" if status else "no daemon runs"
        sys.stdout.write(f"{said}\n")
    return 0


def _status(flags: DaemonFlags) -> int:
    status = ask("status")
    if flags.json:
        sys.stdout.write((status.model_dump_json() if status else "null") + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(status)))
    return 0 if status else 1


def _lines(status: DaemonStatus | None) -> list[str]:
    if status is None:
        return ["no daemon runs"]
    ends_s = max(0.0, status.idle_s - status.unused_s)
    lines = [
        f"runs since {status.running_s:.0f} s (process {status.pid}), Assay {status.assay} from "
        f"{status.package}",
        f"{status.workers} workers, {status.busy} busy; {status.served} evaluations so far",
        f"ends after {status.idle_s:.0f} s without one"
        + ("" if status.busy else f", in {ends_s:.0f} s"),
        f"log {SocketFolder.of_user().log}",
    ]
    if status.differs:
        lines.append(f"not used by commands like this one: {status.differs}")
    return lines
