"""ArchiveFunctions: the functions of a static archive, by their place in the file.

The rule: an archive that a package brings along is linked into a candidate as it is, so what its
members' own symbol tables name is found again like the functions of a shared library.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator

import numpy as np
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from assay.sampling.library_functions import LibraryFunctions

_MAGIC = b"!<arch>\n"
_HEADER = 60
_SIZE = slice(48, 58)
_EXECUTABLE = 0x4  # SHF_EXECINSTR

_Place = tuple[int, int, int]  # first offset of a function, the one behind its last, its name's


def is_archive(path: str) -> bool:
    """By its name, as a linker tells."""
    return path.endswith(".a")


def archive_functions(path: str) -> LibraryFunctions | None:
    """Of the archive at this path on the host; None where it has none or cannot be read."""
    try:
        with open(path, "rb") as file:
            image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        places = sorted(set(_places(image)), key=lambda place: place[1])
    except (OSError, ValueError, ELFError):
        return None
    if not places:
        return None
    ends, kept = np.unique(np.array([place[1] for place in places], np.int64), return_index=True)
    starts = np.array([place[0] for place in places], np.int64)[kept]
    names = np.array([place[2] for place in places], np.int64)[kept]
    name = path.rpartition("/")[2]
    return LibraryFunctions(name, starts, ends, names, memoryview(image), starts)


def _places(image: mmap.mmap) -> Iterator[_Place]:
    at = len(_MAGIC)
    if image[:at] != _MAGIC:
        return
    while at + _HEADER <= len(image):
        size = int(image[at : at + _HEADER][_SIZE])
        first = at + _HEADER
        if image[first : first + 4] == b"\x7fELF":
            yield from _of_member(image[first : first + size], first)
        at = first + size + size % 2


def _of_member(content: bytes, first: int) -> Iterator[_Place]:
    member = ELFFile(io.BytesIO(content))
    table = member.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    strings = int(member.get_section(table["sh_link"])["sh_offset"])
    for symbol in table.iter_symbols():
        section, size = symbol["st_shndx"], int(symbol["st_size"])
        if symbol["st_info"]["type"] != "STT_FUNC" or not isinstance(section, int) or not size:
            continue
        code = member.get_section(section)
        if code["sh_flags"] & _EXECUTABLE:
            start = first + int(code["sh_offset"]) + int(symbol["st_value"])
            yield start, start + size, first + strings + int(symbol["st_name"])
