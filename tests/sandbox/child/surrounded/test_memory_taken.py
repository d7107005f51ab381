"""What happens to a result in memory that was freed before it is read."""

from __future__ import annotations

import ctypes

import pytest
import torch

from assay.sandbox.child.surrounded import memory_taken
from assay.sandbox.child.surrounded.memory_taken import MemoryTaken

libc = ctypes.CDLL(None)
libc.malloc.argtypes, libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
libc.free.argtypes, libc.free.restype = [ctypes.c_void_p], None


def _result(at: int, count: int) -> torch.Tensor:
    block = (ctypes.c_float * count).from_address(at)
    return torch.frombuffer(block, dtype=torch.float32)


@pytest.mark.parametrize("count", [8, 100, 5000, 16_384])
def test_memory_that_was_freed_holds_something_else(count: int) -> None:
    at = libc.malloc(4 * count)
    result = _result(at, count).fill_(1.0)
    libc.free(at)
    taken = MemoryTaken([result])
    assert (result != 1.0).all()
    del taken


def test_a_result_of_its_own_is_what_it_was() -> None:
    result = torch.ones(5000)
    taken = MemoryTaken([result, result.clone(), 3.0, torch.ones(2, device="meta")])
    assert (result == 1.0).all()
    del taken


def test_what_was_taken_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[int] = []
    monkeypatch.setattr(memory_taken, "_give_back", freed.extend)
    taken = MemoryTaken([torch.ones(3), torch.ones(0)])
    assert not freed
    del taken
    assert len(set(freed)) == 4
    for at in freed:
        libc.free(at)
