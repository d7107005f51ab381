"""Confinement: the last steps of a process before candidate code: limits, Landlock, seccomp.

The rule: after `confine` nothing this process or its descendants do can win a right back.
"""

from __future__ import annotations

import os
import resource

from assay.sandbox.layers import landlock, namespaces, seccomp, syscalls
from assay.sandbox.layers.spec import Isolation, SandboxSpec

HIDDEN_PACKAGES = "hidden packages"  # the layer's name where files of packages are out of reach
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
    if spec.package_folders and spec.isolation is not Isolation.NONE:
        held.append(HIDDEN_PACKAGES)
    syscalls.drop_capabilities()
    held.append("no capabilities")
    if spec.isolation is not Isolation.NONE:
        seccomp.enter()
        held.append("seccomp")
    return tuple(held)


def _landlock(spec: SandboxSpec) -> list[str]:
    own_proc = f"/proc/{os.getpid()}"
    hidden = (*spec.hidden, *_hidden_packages(spec))
    shown = [part for path in spec.readable for part in _without(path, hidden)]
    driver = ("/proc/driver", "/proc/devices", "/proc/modules") if spec.device_files else ()
    readable = (*shown, *_PROC_FILES, *driver, own_proc, "/sys/devices/system")
    writable = (spec.scratch, *_DEVICE_FILES, *spec.device_files)
    scoped = landlock.enter(readable, writable, _listable(spec))
    return ["landlock", "landlock signal scope"] if scoped else ["landlock"]


def _hidden_packages(spec: SandboxSpec) -> list[str]:
    shown = set(spec.packages)
    found = []
    for folder in filter(os.path.isdir, spec.package_folders):
        found += [path for name in os.listdir(folder) if (path := f"{folder}/{name}") not in shown]
    return found


def _listable(spec: SandboxSpec) -> list[str]:
    """Roots that a new interpreter lists to import from; not where something of ours is in them."""
    opened = [root for root in spec.readable if _holds(root, spec.package_folders)]
    return [root for root in opened if not _holds(root, spec.hidden)]


def _holds(root: str, places: tuple[str, ...]) -> bool:
    return any(place == root or place.startswith(f"{root}/") for place in places)


def _without(path: str, hidden: tuple[str, ...]) -> list[str]:
    """A folder, or where it holds a hidden one everything in it but that: Landlock only allows."""
    if path in hidden:
        return []
    held = f"{os.path.realpath(path)}/" if os.path.islink(path) else f"{path}/"
    if not any(place.startswith(held) for place in hidden):
        return [path]
    if os.path.islink(path):
        return []  # what may be seen behind it is shown where it lies
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
