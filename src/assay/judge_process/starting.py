"""Starting an interpreter of our own: the same Python and package, nothing of the caller's state.

The rule: exec, never a fork that goes on; no descriptor but those named; a session of its own, so
that Ctrl-C in a terminal is the caller's to handle; nothing to read; stdout goes where stderr goes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.errors import HostError

_START = "import sys; sys.path.insert(0, sys.argv[1]); from {0} import entry; entry(sys.argv[2:])"
_STDERR = 2


def start(module: str, arguments: Sequence[float], keep: Sequence[int]) -> subprocess.Popen[bytes]:
    """Run `module.entry(arguments)` in a new interpreter with these descriptors kept open."""
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
        )
    except OSError as error:
        raise HostError(f"cannot start the judge process: {error}") from error


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
