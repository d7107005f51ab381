"""A root of our own making: an allow-list of read-only binds, a private /proc, /dev and scratch.

The rule: what is not bound does not exist. Everything is done with the capabilities of a fresh user
namespace, so an ordinary user can do it as well as root.
"""

from __future__ import annotations

import ctypes
import os
import struct

from assay.sandbox.layers import syscalls
from assay.sandbox.layers.spec import SandboxSpec

_ALL = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
)
NAMES = (
    "user namespace",
    "mount namespace",
    "pid namespace",
    "network namespace",
    "ipc namespace",
)
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM = ("/sys/devices/system/cpu", "/sys/devices/system/node")
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2


def leave() -> None:
    """Leave every namespace. The caller's *next child* is process 1 of the new pid namespace."""
    uid, gid = os.geteuid(), os.getegid()
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)  # else /proc/self is not ours to write
    syscalls.unshare(_ALL)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def build_root(spec: SandboxSpec) -> None:
    """Replace the root by one that holds the allow-list and nothing else."""
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount("tmpfs", "/tmp", "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV)
    os.mkdir("/tmp/old")
    os.mkdir("/tmp/new")
    syscalls.pivot_root("/tmp", "/tmp/old")
    os.chdir("/")
    syscalls.mount("tmpfs", "/new", "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=0755")
    _make_temp(spec)
    for path in (*spec.readable, *_SYSTEM):
        _show(path)
    _show_packages(spec)
    for path in spec.hidden:
        if os.path.isdir(f"/new{path}"):
            syscalls.mount("tmpfs", f"/new{path}", "tmpfs", syscalls.MS_RDONLY, "size=4k")
        elif os.path.exists(f"/new{path}"):
            syscalls.mount("/old/dev/null", f"/new{path}", "", syscalls.MS_BIND)
    _make_proc_and_devices(spec)
    _make_scratch(spec)
    _become_root()


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _show(path: str) -> None:
    """Bind one path of the old root read-only, or copy it where it is a symbolic link."""
    source, target = f"/old{path}", f"/new{path}"
    if os.path.islink(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.lexists(target):
            os.symlink(os.readlink(source), target)
    elif os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        _bind_read_only(source, target)
    elif os.path.exists(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        _touch(target)
        _bind_read_only(source, target)


def _show_packages(spec: SandboxSpec) -> None:
    """An empty folder over each package folder, and in it the packages that are shown."""
    there = [folder for folder in spec.package_folders if os.path.isdir(f"/new{folder}")]
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
    for folder in there:
        syscalls.mount("tmpfs", f"/new{folder}", "tmpfs", flags, "mode=0755")
    for path in spec.packages:
        if os.path.dirname(path) in there:
            _show(path)
    for folder in there:
        remount = flags | syscalls.MS_REMOUNT | syscalls.MS_BIND | syscalls.MS_RDONLY
        syscalls.mount("none", f"/new{folder}", "", remount)


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _bind_read_only(source: str, target: str) -> None:
    syscalls.mount(source, target, "", syscalls.MS_BIND | syscalls.MS_REC)
    attributes = struct.pack("<QQQQ", _ATTR_RDONLY | _ATTR_NOSUID, 0, 0, 0)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    path = ctypes.create_string_buffer(target.encode())
    syscalls.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, buffer, len(attributes))


def _make_proc_and_devices(spec: SandboxSpec) -> None:
    os.makedirs("/new/proc")
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
    syscalls.mount("proc", "/new/proc", "proc", flags)
    os.makedirs("/new/dev/shm")
    for path in (*(f"/dev/{name}" for name in _DEVICES), *spec.device_files):
        os.makedirs(os.path.dirname(f"/new{path}"), exist_ok=True)
        _touch(f"/new{path}")
        syscalls.mount(f"/old{path}", f"/new{path}", "", syscalls.MS_BIND)
    os.symlink("/proc/self/fd", "/new/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/new/dev/{name}")


def _make_temp(spec: SandboxSpec) -> None:
    """/tmp is the scratch folder by another name, unless what must be shown lies below it."""
    if spec.scratch == "/tmp":
        return
    if any(path.startswith("/tmp/") for path in spec.readable):
        _mount_private("/tmp", spec.scratch_bytes)
    else:
        os.symlink(spec.scratch, "/new/tmp")


def _make_scratch(spec: SandboxSpec) -> None:
    for path in (spec.scratch, "/dev/shm"):
        _mount_private(path, spec.scratch_bytes)


def _mount_private(path: str, size_bytes: int) -> None:
    os.makedirs(f"/new{path}", exist_ok=True)
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV
    syscalls.mount("tmpfs", f"/new{path}", "tmpfs", flags, f"size={size_bytes},mode=0700")


def _become_root() -> None:
    """Drop the old root from sight and make the new one read-only."""
    syscalls.unmount_detached("/old")
    os.chdir("/new")
    syscalls.pivot_root(".", ".")
    syscalls.unmount_detached(".")
    os.chdir("/")
    flags = syscalls.MS_REMOUNT | syscalls.MS_BIND | syscalls.MS_RDONLY | syscalls.MS_NOSUID
    syscalls.mount("none", "/", "", flags | syscalls.MS_NODEV)
