"""Literals of a built object: immediates of its own functions and numbers of its constant data.

The rule: bounded, from bytes that may be hostile, and without a disassembler. An x86-64 instruction
is looked for at every byte, so some immediates are none; a wrong one costs a call, no verdict.
Functions that templates of headers left (weak symbols) are not the candidate's.
"""

from __future__ import annotations

import io
import math
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral

_MOST_CODE = 64 << 10  # bytes of one object
_MOST_DATA = 16 << 10
_SMALLEST, _LARGEST = 17, 1 << 24  # of a whole number: smaller ones are asked anyway
_FLOATS = (1e-4, 1e5)
_WRITABLE, _EXECUTABLE = 0x1, 0x4  # flags of a section
_DATA = (".rodata", ".rodata.cst4", ".rodata.cst8", ".rodata.cst16", ".rodata.cst32")
_IN_MEMORY = 5  # ModRM without a displacement of its own: relative to the instruction pointer
_OPCODES = re.compile(rb"[\x3d\x69\x6b\x81\x83\x8d\xb8-\xbf\xc7]")


@dataclass(frozen=True)
class _Code:
    """Some instructions, where they lie, and where variables do."""

    data: bytes
    name: str  # of the object
    address: int = 0
    variables: tuple[tuple[int, int], ...] = ()

    def is_variable(self, place: int, end: int) -> bool:
        """Whether the operand of an instruction, relative to its end, is a variable."""
        (distance,) = struct.unpack_from("<i", self.data, place)
        target = self.address + end + distance
        return any(first <= target < last for first, last in self.variables)


def object_literals(data: bytes, name: str) -> Iterator[SourceLiteral]:
    """What stands in one shared object; nothing where it cannot be read."""
    try:
        file = ELFFile(io.BytesIO(data))
        machine = str(file.header["e_machine"])
        decoders = {"EM_X86_64": _x86_64, "EM_AARCH64": _aarch64}
        for code in _own_code(file, name) if machine in decoders else ():
            yield from decoders[machine](code)
        for constants in _constant_data(file):
            yield from _numbers(constants, name)
    except (ELFError, ValueError, KeyError, OverflowError, MemoryError, struct.error, TypeError):
        return


def _own_code(file: ELFFile, name: str) -> Iterator[_Code]:
    """Functions that are not weak; the whole code where no symbol says."""
    found = list(file.iter_sections())  # each time it parses all of them
    written = [s for s in found if s["sh_flags"] & _WRITABLE]
    variables = tuple((s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in written)
    spans = sorted(set(_functions(found)))
    left = _MOST_CODE
    for section in found:
        if not section["sh_flags"] & _EXECUTABLE or section["sh_type"] == "SHT_NOBITS":
            continue
        base, code = int(section["sh_addr"]), section.data()
        inside = [(a - base, n) for a, n in spans if base <= a < base + len(code)]
        for start, size in inside if spans else [(0, len(code))]:
            piece = code[start : start + min(size, left)]
            left -= len(piece)
            if piece:
                yield _Code(piece, name, base + start, variables)


def _functions(sections: Iterable[Section]) -> Iterator[tuple[int, int]]:
    for table in sections:
        if not isinstance(table, SymbolTableSection):
            continue
        for symbol in table.iter_symbols():
            info = symbol["st_info"]
            own = info["type"] == "STT_FUNC" and info["bind"] != "STB_WEAK" and symbol["st_size"]
            if own and symbol["st_shndx"] != "SHN_UNDEF":
                yield int(symbol["st_value"]), int(symbol["st_size"])


def _constant_data(file: ELFFile) -> Iterator[bytes]:
    for name in _DATA:
        section: Any = file.get_section_by_name(name)
        if section is not None and section["sh_size"] <= _MOST_DATA:
            yield section.data()


def _x86_64(piece: _Code) -> Iterator[SourceLiteral]:
    """`cmp`, `imul` and `mov` with an immediate, and `lea` with a displacement."""
    code, name = piece.data, piece.name
    for match in _OPCODES.finditer(code, 0, max(0, len(code) - 6)):
        place = match.start()
        opcode, modrm = code[place], code[place + 1]
        extension, end = modrm >> 3 & 7, place + 2 + _addressed(code, place + 1)
        if opcode == 0x3D:
            yield from _immediate(code, place + 1, LiteralUse.COMPARED, name)
        elif opcode == 0x81 and extension == 7:
            counter = modrm & 0xC7 == _IN_MEMORY and piece.is_variable(place + 2, end + 4)
            use = LiteralUse.COUNTER if counter else LiteralUse.COMPARED
            yield from _immediate(code, end, use, name)
        elif opcode in (0x83, 0x6B) and (extension == 7 or opcode == 0x6B):
            use = LiteralUse.COMPARED if opcode == 0x83 else LiteralUse.MODULUS
            yield from _whole(code[end] if end < len(code) else 0, use, name)
        elif opcode == 0x69:
            yield from _immediate(code, end, LiteralUse.MODULUS, name)
        elif opcode == 0x8D and modrm >> 6 == 2:
            yield from _immediate(code, end - 4, LiteralUse.DIVISOR, name)
        elif 0xB8 <= opcode <= 0xBF or (opcode == 0xC7 and extension == 0):
            start = place + 1 if opcode != 0xC7 else end
            yield from _immediate(code, start, LiteralUse.PLAIN, name)


def _addressed(code: bytes, place: int) -> int:
    """Bytes of a memory operand after its ModRM byte."""
    mode, base = code[place] >> 6, code[place] & 7
    if mode == 3:
        return 0
    scaled = 1 if base == 4 else 0
    if mode == 0:
        return scaled + (4 if base == _IN_MEMORY else 0)
    return scaled + (1 if mode == 1 else 4)


def _immediate(code: bytes, place: int, use: LiteralUse, name: str) -> Iterator[SourceLiteral]:
    if 0 <= place <= len(code) - 4:
        (value,) = struct.unpack_from("<i", code, place)
        yield from _whole(abs(value), use, name)
        yield from _floats(code[place : place + 4], name)


def _aarch64(piece: _Code) -> Iterator[SourceLiteral]:
    """`cmp` with an immediate, and constants that are moved in one or two halves."""
    code, name = piece.data, piece.name
    held: dict[int, int] = {}
    for (word,) in struct.iter_unpack("<I", code[: len(code) // 4 * 4]):
        register = word & 31
        if word & 0x7F800000 == 0x71000000 and register == 31:
            yield from _whole((word >> 10 & 0xFFF) << 12 * (word >> 22 & 1), _COMPARED, name)
        elif word & 0x7F800000 == 0x52800000:
            held[register] = (word >> 5 & 0xFFFF) << 16 * (word >> 21 & 3)
            yield from _moved(held[register], name)
        elif word & 0x7F800000 == 0x72800000 and register in held:
            held[register] |= (word >> 5 & 0xFFFF) << 16 * (word >> 21 & 3)
            yield from _moved(held[register], name)


_COMPARED = LiteralUse.COMPARED


def _moved(value: int, name: str) -> Iterator[SourceLiteral]:
    yield from _whole(value, LiteralUse.DIVISOR, name)
    if value < 1 << 32:
        yield from _floats(struct.pack("<I", value), name)


def _whole(value: int, use: LiteralUse, name: str) -> Iterator[SourceLiteral]:
    if _SMALLEST <= value <= _LARGEST:
        yield SourceLiteral(value, use, name)


def _floats(data: bytes, name: str) -> Iterator[SourceLiteral]:
    (value,) = struct.unpack("<f", data)
    if math.isfinite(value) and _FLOATS[0] <= abs(value) <= _FLOATS[1]:
        yield SourceLiteral(_short(value), LiteralUse.PLAIN, name)


def _short(value: float) -> float:
    """The shortest decimal that is the same float32."""
    return float(f"{value:.7g}")


def _numbers(data: bytes, name: str) -> Iterator[SourceLiteral]:
    """Whole numbers and floats of constant data, by their alignment."""
    for (whole,) in struct.iter_unpack("<i", data[: len(data) // 4 * 4]):
        yield from _whole(whole, LiteralUse.TABLE, name)
        yield from _floats(struct.pack("<i", whole), name)
    for (wide,) in struct.iter_unpack("<d", data[: len(data) // 8 * 8]):
        if math.isfinite(wide) and _FLOATS[0] <= abs(wide) <= _FLOATS[1]:
            yield SourceLiteral(wide, LiteralUse.PLAIN, name)
