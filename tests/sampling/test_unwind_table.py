"""Callers by the tables compilers write."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

import numpy as np
import pytest
import torch

from assay.sampling.mapped_objects import MappedObjects
from assay.sampling.operator_frames import computes, operator_frames
from assay.sampling.stack_frame import StackFrame
from assay.sampling.unwind_table import Rule, Unknown, unwind_table

LIBRARY = str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so")
STACK = 7
RETURN = 16


def _frame(words: list[int], **registers: int) -> StackFrame:
    numbers = {6: registers.get("rbp", 0)}
    return StackFrame(1, 0x1000, numbers, 0x1000, np.array(words, np.uint64))


def test_at_its_first_instruction_a_function_has_saved_nothing() -> None:
    address = ctypes.cast(ctypes.CDLL(None).qsort, ctypes.c_void_p).value
    assert address is not None
    mapped = MappedObjects(os.getpid(), "/nowhere").find(address)
    assert mapped is not None
    table = unwind_table(mapped.path)
    assert table is not None
    rule = table.rule(address - mapped.start + mapped.offset + table.shift)
    if platform.machine() == "x86_64":
        assert (rule.register, rule.offset, dict(rule.saved)) == (STACK, 8, {RETURN: -8})
    else:
        assert (rule.register, rule.offset, dict(rule.saved)) == (31, 0, {})


def test_a_caller_by_offsets() -> None:
    rule = Rule(STACK, 24, b"", {RETURN: -8, 6: -16}, RETURN)
    caller = _frame([0, 77, 4096]).caller(rule, STACK)
    assert (caller.pc, caller.stack_pointer, caller.registers[6]) == (4096, 0x1018, 77)


def test_a_caller_of_a_realigned_frame() -> None:
    """The frame begins at what lies 8 below rbp; rbp itself is saved where rbp points."""
    place = bytes([0x76, 0x78, 0x06])
    rule = Rule(0, 0, place, {RETURN: -8, 6: bytes([0x76, 0x00])}, RETURN)
    caller = _frame([0x1020, 55, 0, 4096], rbp=0x1008).caller(rule, STACK)
    assert (caller.pc, caller.stack_pointer, caller.registers[6]) == (4096, 0x1020, 55)


def test_what_was_not_read_is_unknown() -> None:
    with pytest.raises(Unknown):
        _frame([0]).caller(Rule(STACK, 80, b"", {RETURN: -8}, RETURN), STACK)


def test_a_file_without_tables(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no object file")
    assert unwind_table(str(tmp_path / "text")) is None
    assert operator_frames(str(tmp_path / "text")) is None
    assert unwind_table(str(tmp_path / "missing")) is None


def test_operators_of_the_library_are_named() -> None:
    frames = operator_frames(LIBRARY)
    assert frames is not None and {"mm", "copy_", "gelu", "add_Tensor"} <= set(frames.names)
    assert bool((frames.starts[1:] >= frames.starts[:-1]).all())


@pytest.mark.parametrize("name", ["mm", "add_Tensor", "float_power_Scalar", "softmax_int", "sum"])
def test_some_compute(name: str) -> None:
    assert computes(name)


@pytest.mark.parametrize("name", ["copy_", "fill__Scalar", "empty_memory_format", "_to_copy"])
def test_some_only_move(name: str) -> None:
    assert not computes(name)
