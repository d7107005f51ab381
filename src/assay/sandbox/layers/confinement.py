"""Confinement: the last steps of a process before candidate code: limits, Landlock, seccomp.

The rule: after `confine` nothing this process or its descendants do can win a right back.
"""

from __future__ import annotations

import os
import resource

from assay.sandbox.layers import landlock, namespaces, seccomp, syscalls
from assay.sandbox.layers.spec import Isolation, SandboxSpec

_PROC_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/sys")
_DEVICE_FILES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def confine(spec: SandboxSpec) -> tuple[str, ...]:
    """Give up every right the evaluation does not need; returns the layers that hold."""
    held: list[str] = []
    if spec.isolation is Isolation.NAMESPACES:
        held += namespaces.NAMES
    _limit(spec)
    held.append("limits")
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if spec.isolation is Isolation.LANDLOCK:
        held += _landlock(spec)
    syscalls.drop_capabilities()
    held.append("no capabilities")
    if spec.isolation is not Isolation.NONE:
        seccomp.enter()
        held.append("seccomp")
    return tuple(held)


def _landlock(spec: SandboxSpec) -> list[str]:
    own_proc = f"/proc/{os.getpid()}"
    shown = [part for path in spec.readable for part in _without(path, spec.hidden)]
    driver = ("/proc/driver", "/proc/devices", "/proc/modules") if spec.device_files else ()
    readable = (*shown, *_PROC_FILES, *driver, own_proc, "/sys/devices/system")
    scoped = landlock.enter(readable, (spec.scratch, *_DEVICE_FILES, *spec.device_files))
    return ["landlock", "landlock signal scope"] if scoped else ["landlock"]


def _without(path: str, hidden: tuple[str, ...]) -> list[str]:
    """A folder, or where it holds a hidden one everything in it but that: Landlock only allows."""
    if path in hidden:
        return []
    if not any(place.startswith(f"{path}/") for place in hidden):
        return [path]
    return [part for name in os.listdir(path) for part in _without(f"{path}/{name}", hidden)]


def _limit(spec: SandboxSpec) -> None:
    mapped = _mapped_bytes()
    limits = {
        resource.RLIMIT_FSIZE: spec.scratch_bytes,
        resource.RLIMIT_NOFILE: 1024,
        resource.RLIMIT_CORE: 0,
    }
    if not spec.device_files:  # a device's driver maps all of its memory, and the host's, at once
        limits[resource.RLIMIT_AS] = mapped + spec.memory_bytes
    for which, value in limits.items():
        _, hard = resource.getrlimit(which)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (ceiling, ceiling))


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
