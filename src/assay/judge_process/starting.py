"""Starting an interpreter of our own: the same Python and package, nothing of the caller's state.

The rule: exec, never a fork that goes on; no descriptor but those named; a session of its own, so
that Ctrl-C in a terminal is the caller's to handle; nothing to read; stdout goes where stderr goes.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import HostError
from assay.sandbox.host.bytecode_folder import with_bytecode

if TYPE_CHECKING:  # the supervisor starts the judge process before it would have imported pydantic
    from assay.data.settings import Settings

_START = (  # without collections while modules are made
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from assay.sandbox.host.bytecode_folder import keep_bytecode; keep_bytecode(); "
    "from {0} import entry; gc.enable(); entry(sys.argv[2:])"
)
_STDERR = 2
LIMIT = struct.Struct("=d")  # caller to supervisor: seconds of one call, from now on


def threads_of(settings: Settings, at_work: int) -> dict[str, str]:
    """Variables that keep several judge processes from waiting for each other's threads.

    Idle OpenMP threads of a judge process sleep instead of spinning: nothing in it is timed. Beside
    others, and where no candidate is timed, each takes its share of the cores. Measured beside a
    load of six on two cores, one evaluation at `quick`: 50 s as it was, 30 s with sleeping threads,
    19 s with one thread.
    """
    found = {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}
    if at_work > 1 and not settings.timing:
        asked = os.environ.get("OMP_NUM_THREADS", "")
        cores = int(asked) if asked.isdigit() and int(asked) else len(os.sched_getaffinity(0))
        found["OMP_NUM_THREADS"] = str(max(1, cores // at_work))
    return found


def start(
    module: str,
    arguments: Sequence[float],
    keep: Sequence[int],
    set_over: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Run `module.entry(arguments)` in a new interpreter with these descriptors kept open.

    `set_over` are variables over those of this process.
    """
    if not sys.executable:
        raise HostError("sys.executable is empty: no interpreter for the judge process is known")
    package_root = str(Path(__file__).resolve().parents[2])
    errors = _STDERR if _is_open(_STDERR) else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            # -P: the current folder is not imported from
            [sys.executable, "-P", "-c", _START.format(module), package_root, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=tuple(keep),
            start_new_session=True,
            env=with_bytecode(os.environ) | dict(set_over or {}),
        )
    except OSError as error:
        raise HostError(f"cannot start the judge process: {error}") from error


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
