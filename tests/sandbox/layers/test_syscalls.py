"""Capabilities, once dropped, are gone for good."""

from __future__ import annotations

import pytest

from assay.sandbox.layers import syscalls
from support.confined import run_confined


def test_every_capability_set_is_empty_afterwards() -> None:
    answer = run_confined(
        """
        from assay.sandbox.layers import syscalls
        syscalls.drop_capabilities()
        lines = open("/proc/self/status").read().splitlines()
        sets = dict(line.split(":\\t") for line in lines if line.startswith("Cap"))
        answer = {name: int(bits, 16) for name, bits in sets.items()}
        """
    )
    held = {name: answer[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
    assert held == dict.fromkeys(held, 0)


def test_the_bounding_set_of_root_is_empty_too() -> None:
    """Where this process holds no capability it cannot empty the set, and needs not."""
    answer = run_confined(
        """
        from assay.sandbox.layers import syscalls
        def sets():
            lines = open("/proc/self/status").read().splitlines()
            return {l[:6]: int(l.split()[1], 16) for l in lines if l.startswith("Cap")}
        before = sets()
        syscalls.drop_capabilities()
        answer = [before["CapEff"], before["CapBnd"], sets()["CapBnd"]]
        """
    )
    effective, before, after = answer
    assert after == (0 if effective >> 8 & 1 else before)  # bit 8 allows the dropping


def test_a_refused_call_raises_with_its_reason() -> None:
    with pytest.raises(OSError, match="mount /nowhere"):
        syscalls.mount("none", "/nowhere/at/all", "tmpfs", 0)


def test_inaccessible_pages_end_the_process() -> None:
    answer = run_confined(
        """
        import ctypes, mmap
        from assay.sandbox.layers import syscalls
        pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        syscalls.mprotect_none(base + mmap.PAGESIZE, mmap.PAGESIZE)
        def child(index):
            pid = os.fork()
            if pid == 0:
                pages[index]
                os._exit(0)
            return os.waitpid(pid, 0)[1]
        answer = [child(mmap.PAGESIZE - 1), child(mmap.PAGESIZE)]
        """
    )
    assert answer == [0, 11]


def test_poisoned_allocations_are_not_zero() -> None:
    answer = run_confined(
        """
        import ctypes
        from assay.sandbox.layers import syscalls
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        syscalls.poison_allocations(True)
        answer = list(ctypes.string_at(libc.malloc(4096), 4096)[64:128])
        """
    )
    assert set(answer) == {0xFE}
