"""ElfSections: where the sections of an object file lie, by its section headers alone.

The rule: no content is read or built. elftools parses all sections of a file when it is asked for
one by name, the hash tables of symbols among them; over 80 libraries that took three times as long.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

DYNAMIC_SYMBOLS = 11  # SHT_DYNSYM
_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, the least significant byte first
_HEADER = struct.Struct("<IIQQQQIIQQ")
_LONGEST_NAME = 256  # bytes that are looked at


@dataclass(frozen=True)
class ElfSection:
    """What its header says."""

    name: str
    kind: int
    address: int
    offset: int  # in the file
    size: int
    link: int  # number of the section that holds its strings

    def of(self, image: memoryview) -> memoryview:
        """Its content in the file, not copied."""
        return image[self.offset : self.offset + self.size]


def elf_sections(image: memoryview) -> tuple[ElfSection, ...]:
    """By their numbers. Raises ValueError where there are none, or it is no 64-bit object."""
    if bytes(image[: len(_MAGIC)]) != _MAGIC:
        raise ValueError("no 64-bit object")
    try:
        return tuple(_sections(image))
    except (struct.error, IndexError) as error:
        raise ValueError(f"section headers: {error}") from error


def _sections(image: memoryview) -> list[ElfSection]:
    (table_at,) = struct.unpack_from("<Q", image, 40)
    step, count, names_number = struct.unpack_from("<HHH", image, 58)
    headers = [_HEADER.unpack_from(image, table_at + number * step) for number in range(count)]
    names_at = headers[names_number][4]
    return [
        ElfSection(_text(image, names_at + name), kind, address, offset, size, link)
        for name, kind, _, address, offset, size, link, *_ in headers
    ]


def _text(image: memoryview, at: int) -> str:
    return bytes(image[at : at + _LONGEST_NAME]).partition(b"\0")[0].decode(errors="replace")
