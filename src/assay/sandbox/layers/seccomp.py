"""A seccomp filter that takes away the calls an evaluation never needs.

The rule: a denied call fails with EPERM instead of killing, so that honest code that merely probes
goes on. Namespace-making flags of `clone` are refused too, and `clone3`, whose flags a filter
cannot see, answers ENOSYS, on which glibc falls back to `clone`.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from assay.sandbox.layers import syscalls

_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# name: (x86-64, aarch64)
_DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_SOCKET = (41, 198)
_AF_UNIX = 1
_PRCTL = (157, 167)
_PR_SET_DUMPABLE = 4
_NAMESPACE_FLAGS = 0x7E020000
_X32_BIT = 0x40000000

_LOAD, _JEQ, _JGE, _JSET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NR, _ARCH_AT, _ARG0 = 0, 4, 16
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER = 1


def _instruction(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, k)


def _deny(number: int, code: int) -> list[bytes]:
    return [_instruction(_JEQ, number, 0, 1), _instruction(_RETURN, _ERRNO | code)]


def program(machine: str) -> bytes:
    """The filter for one architecture as BPF instructions."""
    column = {"x86_64": 0, "aarch64": 1}[machine]
    code = [
        _instruction(_LOAD, _ARCH_AT),
        _instruction(_JEQ, _ARCH[machine], 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NR),
    ]
    if machine == "x86_64":
        code += [_instruction(_JGE, _X32_BIT, 0, 1), _instruction(_RETURN, _ERRNO | errno.ENOSYS)]
    for numbers in _DENIED.values():
        code += _deny(numbers[column], errno.EPERM)
    code += _deny(_CLONE3[column], errno.ENOSYS)
    code += [  # socket(domain, ...): only AF_UNIX
        _instruction(_JEQ, _SOCKET[column], 0, 4),
        _instruction(_LOAD, _ARG0),
        _instruction(_JEQ, _AF_UNIX, 1, 0),
        _instruction(_RETURN, _ERRNO | errno.EACCES),
        _instruction(_RETURN, _ALLOW),
    ]
    code += [  # prctl(option, ...): an undumpable process cannot be sampled
        _instruction(_JEQ, _PRCTL[column], 0, 4),
        _instruction(_LOAD, _ARG0),
        _instruction(_JEQ, _PR_SET_DUMPABLE, 0, 1),
        _instruction(_RETURN, _ERRNO | errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]
    code += [  # clone(flags, ...): no new namespaces
        _instruction(_JEQ, _CLONE[column], 0, 3),
        _instruction(_LOAD, _ARG0),
        _instruction(_JSET, _NAMESPACE_FLAGS, 0, 1),
        _instruction(_RETURN, _ERRNO | errno.EPERM),
    ]
    code.append(_instruction(_RETURN, _ALLOW))
    return b"".join(code)


def enter() -> None:
    """Install the filter on this process and all it will ever start. Needs no_new_privs."""
    machine = syscalls.machine()
    code = program(machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    fprog = ctypes.create_string_buffer(header, len(header))
    syscalls.syscall(_SECCOMP[machine], _SET_MODE_FILTER, 0, fprog)
