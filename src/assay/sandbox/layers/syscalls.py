"""The few Linux calls Python does not offer, through libc. Each raises OSError when refused."""

from __future__ import annotations

import ctypes
import os
import platform

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CLOCK_GETTIME = {"x86_64": 228, "aarch64": 113}
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 40
_M_PERTURB = -6


def _check(result: int, what: str) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def machine() -> str:
    """The architecture in the kernel's words."""
    return platform.machine()


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """A raw system call."""
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _check(_libc.syscall(ctypes.c_long(number), *converted), f"syscall {number}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by the flags."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount, bind or remount."""
    arguments = [s.encode() if s else None for s in (source, target, kind)]
    data = options.encode() if options else None
    _check(_libc.mount(*arguments, ctypes.c_ulong(flags), data), f"mount {target}")


def unmount_detached(target: str) -> None:
    """Take a mount out of sight at once; it goes away with its last user."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(new_root: str, old_root: str) -> None:
    """Make `new_root` the root and hang the old one under it."""
    syscall(_PIVOT_ROOT[machine()], new_root.encode(), old_root.encode())


def prctl(option: int, argument: int = 0) -> None:
    """Set one attribute of this process."""
    zeros = [ctypes.c_ulong(0)] * 3
    _check(_libc.prctl(ctypes.c_int(option), ctypes.c_ulong(argument), *zeros), f"prctl {option}")


def drop_capabilities() -> None:
    """Empty the bounding set and every capability set of this process."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # unknown to this kernel, or none held: the capset below is what counts
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    _check(_libc.syscall(ctypes.c_long(_CAPSET[machine()]), header, sets), "capset")


def mprotect_none(address: int, length: int) -> None:
    """Make pages inaccessible."""
    _check(_libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), 0), "mprotect")


def kernel_clock_ns(clock: int) -> int:
    """A clock as the kernel tells it, past the C library and its shortcuts."""
    found = (ctypes.c_int64 * 2)()
    arguments = (ctypes.c_long(_CLOCK_GETTIME[machine()]), ctypes.c_long(clock), found)
    _check(_libc.syscall(*arguments), "clock_gettime")
    return int(found[0]) * 1_000_000_000 + int(found[1])


def poison_allocations(on: bool) -> None:
    """Have glibc fill what it hands out with a byte pattern (0xFE), or stop doing so."""
    mallopt = getattr(_libc, "mallopt", None)
    if mallopt is not None:
        mallopt(_M_PERTURB, 1 if on else 0)
