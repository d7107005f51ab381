"""The filter, run by a small interpreter for both architectures and by the kernel for this one."""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass

import pytest

from assay.sandbox.layers import seccomp
from support.confined import run_confined

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = ("x86_64", "aarch64")
# From the kernel's own tables (x86-64, then the generic table that aarch64 uses).
NUMBERS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "init_module": (175, 105),
    "keyctl": (250, 219),
    "reboot": (169, 142),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "syslog": (103, 116),
}
HARMLESS = {
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "futex": (202, 98),
    "execve": (59, 221),
    "exit_group": (231, 94),
    "openat": (257, 56),
    "clock_gettime": (228, 113),
    "wait4": (61, 260),
    "kill": (62, 129),
}
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)


@dataclass(frozen=True)
class SystemCall:
    arch: int
    number: int
    argument: int = 0

    def pack(self) -> bytes:
        return struct.pack("<IIQ6Q", self.number, self.arch, 0, self.argument, 0, 0, 0, 0, 0)


def interpret(program: bytes, call: SystemCall) -> int:
    """Classic BPF, the five instructions a filter needs; anything else is a mistake."""
    code = list(struct.iter_unpack("<HBBI", program))
    data, value, at = call.pack(), 0, 0
    for _ in range(len(code)):
        operation, if_true, if_false, k = code[at]
        at += 1
        if operation == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif operation == 0x06:
            return int(k)
        else:
            met = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[operation]
            at += if_true if met else if_false
    raise AssertionError("the filter never returned")


def decide(machine: str, number: int, argument: int = 0) -> int:
    return interpret(seccomp.program(machine), SystemCall(ARCH[machine], number, argument))


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
def test_denied_calls_fail_with_eperm(column: int) -> None:
    decided = {n: decide(MACHINES[column], v[column]) for n, v in NUMBERS.items()}
    assert decided == dict.fromkeys(NUMBERS, ERRNO | errno.EPERM)


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
def test_ordinary_calls_are_allowed(column: int) -> None:
    decided = {n: decide(MACHINES[column], v[column]) for n, v in HARMLESS.items()}
    assert decided == dict.fromkeys(HARMLESS, ALLOW)


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
def test_clone3_is_unknown_so_that_glibc_falls_back(column: int) -> None:
    assert decide(MACHINES[column], CLONE3[column]) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
@pytest.mark.parametrize("bit", [17, 25, 26, 27, 28, 29, 30])
def test_clone_makes_no_namespace(column: int, bit: int) -> None:
    decided = decide(MACHINES[column], CLONE[column], 1 << bit | 17)
    assert decided == ERRNO | errno.EPERM


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
def test_clone_makes_processes_and_threads(column: int) -> None:
    for flags in (17, 0x003D0F00, 0x01200011, 0x4111):
        assert decide(MACHINES[column], CLONE[column], flags) == ALLOW


@pytest.mark.parametrize("column", [0, 1], ids=MACHINES)
def test_only_unix_sockets(column: int) -> None:
    machine, number = MACHINES[column], SOCKET[column]
    assert decide(machine, number, 1) == ALLOW
    for family in (0, 2, 10, 16, 17, 31, 38, 40):  # inet, inet6, netlink, packet, alg, vsock ...
        assert decide(machine, number, family) == ERRNO | errno.EACCES


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_killed(machine: str) -> None:
    other = ARCH["aarch64" if machine == "x86_64" else "x86_64"]
    for arch in (other, 0x40000003, 0):  # i386 numbers calls differently
        assert interpret(seccomp.program(machine), SystemCall(arch, 0)) == KILL


def test_the_x32_door_is_closed() -> None:
    for number in (0, 101, 165, 0x3FF):
        assert decide("x86_64", 0x40000000 | number) == ERRNO | errno.ENOSYS


def test_the_kernel_agrees() -> None:
    """For real, in a process that may do all of it before."""
    answer = run_confined(
        """
        import ctypes, os, socket
        from assay.sandbox.layers import seccomp, syscalls
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        seccomp.enter()
        libc = ctypes.CDLL(None, use_errno=True)
        def attempt(function, *arguments):
            return 0 if function(*arguments) != -1 else ctypes.get_errno()
        def inet():
            try:
                socket.socket(socket.AF_INET).close()
            except OSError as error:
                return error.errno
            return 0
        answer = {
            "ptrace": attempt(libc.ptrace, 0, 0, 0, 0),
            "unshare": attempt(libc.unshare, 0x10000000),
            "mount": attempt(libc.mount, b"none", b"/tmp", b"tmpfs", 0, None),
            "undumpable": attempt(libc.prctl, 4, 0, 0, 0, 0),
            "named": attempt(libc.prctl, 15, b"kernel", 0, 0, 0),
            "inet": inet(),
            "pair": len(socket.socketpair()),
            "fork": os.waitpid(os.fork() or os._exit(0), 0)[1],
        }
        """
    )
    assert answer == {
        "ptrace": errno.EPERM,
        "unshare": errno.EPERM,
        "mount": errno.EPERM,
        "undumpable": errno.EPERM,
        "named": 0,
        "inet": errno.EACCES,
        "pair": 2,
        "fork": 0,
    }
