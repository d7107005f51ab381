"""OperatorFrames: the torch operators a thread is inside of, by return addresses on its stack.

The rule: it is read from outside, from the names that the installed library exports, and what a
name means is decided by the same table that reads the dispatch log.
"""

from __future__ import annotations

import functools
import re
import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from assay.sampling.elf_sections import DYNAMIC_SYMBOLS, elf_sections
from assay.sampling.mapped_objects import MappedRange, Words
from assay.source_analysis.tables.operation_names import OpRole, called_role

_ENTRY = re.compile(rb"_ZN2at4_ops(\d+)(\w+)")
_KINDS = (b"4call", b"10redispatch")
_LOAD, _EXECUTABLE = 1, 1
_SYMBOL = np.dtype("<u4, u1, u1, <u2, <u8, <u8")
_NAME, _VALUE, _SIZE = "f0", "f4", "f5"


@dataclass(frozen=True)
class OperatorFrames:
    """The entry functions of all operators in one library, by address in the file's own terms."""

    starts: Words
    ends: Words
    names: tuple[str, ...]
    shift: int  # what the file's addresses are ahead of its offsets in executable pages

    def name_at(self, address: int, mapped: MappedRange) -> str:
        """The operator whose entry function holds an address of the mapping; empty where none."""
        own = np.uint64(address - mapped.start + mapped.offset + self.shift)
        index = int(np.searchsorted(self.starts, own, side="right")) - 1
        return self.names[index] if index >= 0 and own < self.ends[index] else ""


def computes(operator: str) -> bool:
    """Whether an operator does more than allocate, fill, view, copy or cast."""
    return called_role(_base_names().get(operator, operator)) is OpRole.COMPUTE


@functools.lru_cache(maxsize=4)
def operator_frames(path: str) -> OperatorFrames | None:
    """Of the library at this path; None where it exports no operators or cannot be read."""
    try:
        with open(path, "rb") as file:
            image: Words | npt.NDArray[np.uint8] = np.memmap(file, dtype=np.uint8, mode="r")
            return _read(memoryview(image))  # type: ignore[arg-type]
    except (OSError, ValueError, struct.error):
        return None


def _read(image: memoryview) -> OperatorFrames | None:
    """Section headers name the symbol table and its strings; program headers the code's place."""
    sections = elf_sections(image)
    table = next((one for one in sections if one.kind == DYNAMIC_SYMBOLS), None)
    if table is None or table.link >= len(sections):
        return None
    symbols = np.frombuffer(table.of(image), dtype=_SYMBOL)
    return _select(symbols, bytes(sections[table.link].of(image)), _shift(image))


def _select(symbols: npt.NDArray[np.void], text: bytes, shift: int) -> OperatorFrames | None:
    names = {match.start(): _operator(match) for match in _ENTRY.finditer(text)}
    rows = [
        (int(s[_VALUE]), int(s[_VALUE] + s[_SIZE]), name)
        for s in symbols[np.isin(symbols[_NAME], list(names))]
        if (name := names[int(s[_NAME])]) and s[_VALUE]
    ]
    if not rows:
        return None
    rows.sort()
    starts, ends, chosen = zip(*rows, strict=True)
    return OperatorFrames(np.array(starts, np.uint64), np.array(ends, np.uint64), chosen, shift)


def _operator(match: re.Match[bytes]) -> str:
    """The operator of a mangled entry function; empty for its other functions."""
    length, rest = int(match[1]), match[2]
    name, kind = rest[:length], rest[length:]
    return name.decode("ascii", "replace") if kind.startswith(_KINDS) else ""


def _shift(image: memoryview) -> int:
    (table_at,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for i in range(count):
        kind, flags, offset, address = struct.unpack_from("<IIQQ", image, table_at + i * size)
        if kind == _LOAD and flags & _EXECUTABLE:
            return int(address - offset)
    return 0


@functools.cache
def _base_names() -> dict[str, str]:
    """Struct names of operators, as the library spells them, to base names: add_Tensor to add."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, base = schema.name.partition("::")
        if namespace == "aten":
            overload = schema.overload_name
            found[f"{base}_{overload}" if overload else base] = base
    return found
