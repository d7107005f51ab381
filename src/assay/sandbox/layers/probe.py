"""Which isolation this machine offers, found by trying it in a throw-away process.

python -m assay.sandbox.layers.probe      exits 0 where namespaces work, 3 where they do not
"""

from __future__ import annotations

import os
import sys

from assay.sandbox.layers import landlock, namespaces
from assay.sandbox.layers.spec import Isolation, SandboxSpec

_REFUSED = 3


def best_isolation() -> Isolation:
    """Namespaces where they can be entered, else Landlock with signal scope, else none."""
    if _namespaces_work():
        return Isolation.NAMESPACES
    if landlock.abi() >= 6:
        return Isolation.LANDLOCK
    return Isolation.NONE


def _namespaces_work() -> bool:
    """Build a minimal root in a forked child; the fork has one thread and touches nothing else."""
    spec = SandboxSpec(Isolation.NAMESPACES, ("/usr",), (), "/tmp", 1 << 20, 1 << 30, (), 1)
    pid = os.fork()
    if pid == 0:
        os._exit(_try(spec))
    _, status = os.waitpid(pid, 0)
    return status == 0


def _try(spec: SandboxSpec) -> int:
    try:
        namespaces.leave()
        inner = os.fork()
        if inner == 0:
            os._exit(_try_root(spec))
        _, status = os.waitpid(inner, 0)
        return 0 if status == 0 else _REFUSED
    except OSError:
        return _REFUSED


def _try_root(spec: SandboxSpec) -> int:
    try:
        namespaces.build_root(spec)
        return 0
    except OSError:
        return _REFUSED


if __name__ == "__main__":
    sys.exit(0 if _namespaces_work() else _REFUSED)
