"""LibraryFunctions: the functions of one object file, by their place in the file.

The rule: places and names come from the file's own symbol tables. Code that no symbol covers
carries the name of the next function: compilers write a file's private functions before the
exported one that calls them (libgfortran's matmul lies there).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from elftools.common.exceptions import ELFError
from elftools.elf.constants import P_FLAGS
from elftools.elf.elffile import ELFFile

from assay.sampling.compute_names import computes

Offsets = npt.NDArray[np.int64]

_SYMBOL = np.dtype("<u4, u1, u1, <u2, <u8, <u8")
_NAME, _INFO, _VALUE, _SIZE = "f0", "f1", "f4", "f5"
_FUNCTION = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


@dataclass(frozen=True)
class LibraryFunctions:
    """Functions in order; function i begins where function i - 1 ends."""

    file_name: str
    first: int  # offset in the file of the executable segment
    ends: Offsets
    name_offsets: Offsets
    strings: bytes

    def index(self, offset: int) -> int:
        """The function that holds an offset of the file; -1 where none does."""
        if offset < self.first or not len(self.ends) or offset >= self.ends[-1]:
            return -1
        return int(np.searchsorted(self.ends, offset, side="right"))

    def bounds(self, index: int) -> tuple[int, int]:
        """First offset of a function and the one behind its last."""
        start = self.ends[index - 1] if index else self.first
        return int(start), int(self.ends[index])

    def name(self, index: int) -> bytes:
        """The symbol name of a function."""
        at = int(self.name_offsets[index])
        return self.strings[at : self.strings.find(b"\0", at)]

    def computes_at(self, offset: int) -> str:
        """The name of the computing function at an offset of the file; empty where none is."""
        index = self.index(offset)
        name = self.name(index) if index >= 0 else b""
        return name.decode(errors="replace") if name and computes(self.file_name, name) else ""

    def computing(self) -> npt.NDArray[np.bool_]:
        """Of every function, whether it computes."""
        chosen = (computes(self.file_name, self.name(i)) for i in range(len(self.ends)))
        return np.fromiter(chosen, np.bool_, len(self.ends))


@functools.lru_cache(maxsize=16)
def library_functions(path: str) -> LibraryFunctions | None:
    """Of the object at this path on the host; None where it has no symbols."""
    try:
        with open(path, "rb") as file:
            return _read(ELFFile(file), path.rpartition("/")[2])
    except (OSError, ELFError, ValueError):
        return None


def _read(image: ELFFile, file_name: str) -> LibraryFunctions | None:
    code = next((s for s in image.iter_segments("PT_LOAD") if s["p_flags"] & P_FLAGS.PF_X), None)
    table = image.get_section_by_name(".symtab") or image.get_section_by_name(".dynsym")
    if code is None or table is None or image.elfclass != 64 or not image.little_endian:
        return None
    symbols = np.frombuffer(table.data(), dtype=_SYMBOL)
    wanted = np.isin(symbols[_INFO] & 15, _FUNCTION) & (symbols[_SIZE] > 0)
    symbols = symbols[wanted & (symbols[_VALUE] >= code["p_vaddr"])]
    ends = (symbols[_VALUE] + symbols[_SIZE]).astype(np.int64) - code["p_vaddr"] + code["p_offset"]
    symbols, ends = (
        symbols[ends <= code["p_offset"] + code["p_filesz"]],
        ends[ends <= code["p_offset"] + code["p_filesz"]],
    )
    ends, first_of = np.unique(ends, return_index=True)
    names = symbols[_NAME][first_of].astype(np.int64)
    strings = image.get_section(table["sh_link"]).data()
    return LibraryFunctions(file_name, int(code["p_offset"]), ends, names, strings)
