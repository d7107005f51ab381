"""UnwindTable: how to find the caller of any instruction of an object file, from its own tables.

The rule: only the tables that compilers write for exceptions (.eh_frame) are believed, read from
the installed file on the host. Where they do not say, unwinding stops; nothing is guessed.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

_LOAD, _EXECUTABLE, _FRAME_HEADER = 1, 1, 0x6474E550
_DATA_RELATIVE_4 = 0x3B  # the one encoding of the search table that linkers write
_PC_RELATIVE_4 = 0x1B


@dataclass(frozen=True)
class Rule:
    """Where the frame begins and where it keeps registers, relative to that; in DWARF's numbers."""

    register: int
    offset: int
    expression: bytes  # instead of the two, where the stack was realigned
    saved: Mapping[int, int | bytes]  # an offset, or an expression for the place
    return_register: int


class Unknown(Exception):
    """The tables do not say."""


@dataclass
class _UnwindRow:
    register: int = 0
    offset: int = 0
    expression: bytes = b""
    saved: dict[int, int | bytes] = field(default_factory=dict)

    def copy(self) -> _UnwindRow:
        return _UnwindRow(self.register, self.offset, self.expression, dict(self.saved))


class UnwindTable:
    """The tables of one object file; addresses are the file's own."""

    def __init__(self, path: str) -> None:
        self._image = memoryview(np.memmap(path, dtype=np.uint8, mode="r"))  # type: ignore[arg-type]
        if bytes(self._image[:6]) != b"\x7fELF\x02\x01":
            raise Unknown(f"{path} is not an object file of 64 bits")
        self.shift = 0  # what the file's addresses are ahead of its offsets, in executable pages
        header = (0, 0)
        for kind, flags, offset, address in self._segments():
            if kind == _LOAD and flags & _EXECUTABLE:
                self.shift = address - offset
            if kind == _FRAME_HEADER:
                header = (offset, address)
        self._starts, self._frames = self._search_table(*header)
        self.rule = functools.lru_cache(maxsize=4096)(self._rule)

    def _segments(self) -> list[tuple[int, ...]]:
        (table,) = struct.unpack_from("<Q", self._image, 32)
        size, count = struct.unpack_from("<HH", self._image, 54)
        return [struct.unpack_from("<IIQQ", self._image, table + i * size) for i in range(count)]

    def _search_table(
        self, offset: int, address: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        version, _, count_kind, kind = self._image[offset : offset + 4]
        if not offset or version != 1 or kind != _DATA_RELATIVE_4 or count_kind != 3:
            raise Unknown("no search table of frames")
        (count,) = struct.unpack_from("<I", self._image, offset + 8)
        rows = self._image[offset + 12 : offset + 12 + 8 * count]
        table = np.frombuffer(rows, np.int32).reshape(-1, 2).astype(np.int64)
        return table[:, 0] + address, table[:, 1] + offset  # read-only data: address = offset

    def _rule(self, address: int) -> Rule:
        """For the instruction at this address. Raises Unknown."""
        index = int(np.searchsorted(self._starts, address, side="right")) - 1
        if index < 0:
            raise Unknown("before the first function")
        frame = DwarfReader(self._image, int(self._frames[index]))
        end = frame.u4() + frame.at
        common_at = frame.at - frame.u4()
        start = int(self._starts[index])
        frame.u4()
        if not start <= address < start + frame.u4():
            raise Unknown("between functions")
        frame.skip(frame.uleb())
        program = _Program(_Common(DwarfReader(self._image, common_at)), start, address)
        try:
            return program.run(bytes(self._image[frame.at : end]))
        except IndexError as error:
            raise Unknown("a damaged table") from error


@functools.lru_cache(maxsize=32)
def unwind_table(path: str) -> UnwindTable | None:
    """Of the object at this path on the host; None where it has none."""
    try:
        return UnwindTable(path)
    except (OSError, ValueError, struct.error, Unknown):
        return None


class DwarfReader:
    """Numbers as DWARF writes them."""

    def __init__(self, image: memoryview | bytes, at: int) -> None:
        self.image = image
        self.at = at

    def u1(self) -> int:
        """One byte."""
        self.at += 1
        return int(self.image[self.at - 1])

    def u4(self) -> int:
        """Four bytes."""
        self.at += 4
        return int.from_bytes(self.image[self.at - 4 : self.at], "little")

    def uint(self, size: int) -> int:
        """So many bytes."""
        self.at += size
        return int.from_bytes(self.image[self.at - size : self.at], "little")

    def uleb(self) -> int:
        """A number in groups of seven bits."""
        value = shift = 0
        while True:
            byte = self.u1()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def sleb(self) -> int:
        """The same with a sign."""
        start = self.at
        value = self.uleb()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def skip(self, size: int) -> None:
        """Go on."""
        self.at += size

    def block(self) -> bytes:
        """Bytes behind their number."""
        size = self.uleb()
        self.skip(size)
        return bytes(self.image[self.at - size : self.at])


class _Common:
    """What the frames of one object share (a CIE)."""

    def __init__(self, reader: DwarfReader) -> None:
        end = reader.u4() + reader.at
        reader.skip(4)
        version = reader.u1()
        letters = bytearray()
        while byte := reader.u1():
            letters.append(byte)
        self.code_unit, self.data_unit = reader.uleb(), reader.sleb()
        self.return_register = reader.u1() if version == 1 else reader.uleb()
        if not letters.startswith(b"z"):
            raise Unknown("frames without lengths")
        data = DwarfReader(reader.block(), 0)
        if letters[1:2] == b"R" and data.u1() != _PC_RELATIVE_4:
            raise Unknown("frames of another encoding")
        self.program = bytes(reader.image[reader.at : end])


class _Program:
    """Runs the instructions of a frame up to one address."""

    def __init__(self, common: _Common, start: int, address: int) -> None:
        self._common = common
        self._location = start
        self._address = address
        self._row = _UnwindRow()
        self._kept: list[_UnwindRow] = []

    def run(self, instructions: bytes) -> Rule:
        self._execute(self._common.program)
        self._first = self._row.copy()
        self._execute(instructions)
        row = self._row
        returns = self._common.return_register
        return Rule(row.register, row.offset, row.expression, row.saved, returns)

    def _execute(self, instructions: bytes) -> None:
        reader = DwarfReader(instructions, 0)
        while reader.at < len(instructions) and self._location <= self._address:
            code = reader.u1()
            high, low = code & 0xC0, code & 0x3F
            if high == 0x40:
                self._location += low * self._common.code_unit
            elif high == 0x80:
                self._row.saved[low] = reader.uleb() * self._common.data_unit
            elif high == 0xC0:
                self._restore(low)
            elif code in (2, 3, 4):
                self._location += reader.uint(1 << (code - 2)) * self._common.code_unit
            else:
                self._less_common(code, reader)

    def _restore(self, register: int) -> None:
        self._row.saved.pop(register, None)
        if register in self._first.saved:
            self._row.saved[register] = self._first.saved[register]

    def _less_common(self, code: int, reader: DwarfReader) -> None:
        row, unit = self._row, self._common.data_unit
        match code:
            case 0x00:
                return
            case 0x05:
                register = reader.uleb()
                row.saved[register] = reader.uleb() * unit
            case 0x06:
                self._restore(reader.uleb())
            case 0x07 | 0x08:
                row.saved.pop(reader.uleb(), None)
            case 0x0A:
                self._kept.append(row.copy())
            case 0x0B:
                self._row = self._kept.pop()
            case 0x0C:
                row.register, row.offset, row.expression = reader.uleb(), reader.uleb(), b""
            case 0x0D:
                row.register, row.expression = reader.uleb(), b""
            case 0x0E:
                row.offset = reader.uleb()
            case 0x0F:
                row.expression = reader.block()
            case 0x10:
                register = reader.uleb()
                row.saved[register] = reader.block()
            case 0x11:
                register = reader.uleb()
                row.saved[register] = reader.sleb() * unit
            case 0x12:
                row.register, row.offset = reader.uleb(), reader.sleb() * unit
            case 0x13:
                row.offset = reader.sleb() * unit
            case 0x2E:
                reader.uleb()
            case _:
                raise Unknown(f"instruction {code:#x}")
