"""Landlock: an allow-list of files without mounts, and a scope for signals.

It is the fallback where namespaces are missing; the file rights granted are then the only ones.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from assay.sandbox.layers import syscalls

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_SCOPE_ABSTRACT_UNIX, _SCOPE_SIGNAL = 1, 2


def abi() -> int:
    """The version this kernel offers; 0 where there is none."""
    try:
        return syscalls.syscall(_CREATE, 0, 0, _VERSION_FLAG)
    except OSError:
        return 0


def _all_rights(version: int) -> int:
    bits = 13
    if version >= 2:
        bits = 14
    if version >= 3:
        bits = 15
    if version >= 5:
        bits = 16
    return (1 << bits) - 1


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # nothing there, nothing to allow
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_RIGHTS
        rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, fd), 12)
        syscalls.syscall(_ADD, ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(fd)


def enter(readable: Iterable[str], writable: Iterable[str], listable: Iterable[str] = ()) -> bool:
    """Confine this process to the paths given. True where signals are scoped as well (ABI 6).

    Of `listable` folders, and of all below, the names are shown and no content.
    """
    version = abi()
    rights = _all_rights(version)
    network = 3 if version >= 4 else 0
    scope = _SCOPE_ABSTRACT_UNIX | _SCOPE_SIGNAL if version >= 6 else 0
    sizes = {0: 8, 4: 16, 6: 24}
    size = sizes[max(k for k in sizes if k <= version)]
    attributes = ctypes.create_string_buffer(
        struct.pack("<QQQ", rights, network, scope)[:size], size
    )
    ruleset = syscalls.syscall(_CREATE, attributes, size, 0)
    for path in readable:
        _allow(ruleset, path, _READ)
    for path in listable:
        _allow(ruleset, path, _READ_DIR)
    for path in writable:
        _allow(ruleset, path, rights)
    syscalls.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return version >= 6
