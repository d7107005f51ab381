"""LibraryFunctions: the functions of one object file, by their place in the file.

The rule: places and names come from the file's own symbol tables. Where only exported functions
have symbols, code between two of them carries the name of the second: compilers write a file's
private functions before the exported one that calls them (libgfortran's matmul lies there).
Stubs of the linker are no function.
"""

from __future__ import annotations

import functools
import mmap
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.sampling.compute_names import computes, is_mathematics
from assay.sampling.elf_sections import elf_sections

Offsets = npt.NDArray[np.int64]

_SYMBOL = np.dtype("<u4, u1, u1, <u2, <u8, <u8")
_NAME, _INFO, _VALUE, _SIZE = "f0", "f1", "f4", "f5"
_LONGEST_NAME = 1024  # bytes that are looked at
_FUNCTION = (2, 10)  # STT_FUNC, STT_GNU_IFUNC


@dataclass(frozen=True)
class LibraryFunctions:
    """Functions in the order of their ends."""

    file_name: str
    starts: Offsets
    ends: Offsets
    name_offsets: Offsets
    strings: memoryview
    symbol_starts: Offsets  # where `starts` reach back over functions without a name, these do not

    def index(self, offset: int) -> int:
        """The function that holds an offset of the file; -1 where none does."""
        index = int(np.searchsorted(self.ends, offset, side="right"))
        return index if index < len(self.ends) and offset >= self.starts[index] else -1

    def bounds(self, index: int) -> tuple[int, int]:
        """First offset of a function and the one behind its last."""
        return int(self.starts[index]), int(self.ends[index])

    def name(self, index: int) -> bytes:
        """The symbol name of a function."""
        at = int(self.name_offsets[index])
        return bytes(self.strings[at : at + _LONGEST_NAME]).partition(b"\0")[0]

    def computes_at(self, offset: int) -> str:
        """The name of the computing function at an offset of the file; empty where none is."""
        index = self.index(offset)
        name = self.name(index) if index >= 0 else b""
        return name.decode(errors="replace") if name and computes(self.file_name, name) else ""

    def is_mathematics_at(self, offset: int) -> bool:
        """Whether a function for whoever calls it (Sleef's inside of torch) is at an offset."""
        index = self.index(offset)
        return (
            index >= 0 and offset >= self.symbol_starts[index] and is_mathematics(self.name(index))
        )

    def computing(self) -> npt.NDArray[np.bool_]:
        """Of every function, whether it computes."""
        chosen = (computes(self.file_name, self.name(i)) for i in range(len(self.ends)))
        return np.fromiter(chosen, np.bool_, len(self.ends))


@functools.lru_cache(maxsize=16)
def library_functions(path: str) -> LibraryFunctions | None:
    """Of the object at this path on the host; None where it has no symbols."""
    try:
        with open(path, "rb") as file:  # mapped, not read: torch's strings are 76 MB
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _read(memoryview(mapped), path.rpartition("/")[2])
    except (OSError, ValueError):
        return None


def _read(image: memoryview, file_name: str) -> LibraryFunctions | None:
    sections = elf_sections(image)
    by_name = {section.name: section for section in sections}
    code, full = by_name.get(".text"), by_name.get(".symtab")
    table = full or by_name.get(".dynsym")
    if code is None or table is None or table.link >= len(sections):
        return None
    first, shift = code.offset, code.offset - code.address
    symbols = np.frombuffer(table.of(image), dtype=_SYMBOL)
    symbols = symbols[np.isin(symbols[_INFO] & 15, _FUNCTION) & (symbols[_SIZE] > 0)]
    starts = symbols[_VALUE].astype(np.int64) + shift
    ends = starts + symbols[_SIZE].astype(np.int64)
    inside = (starts >= first) & (ends <= first + code.size)
    ends, kept = np.unique(ends[inside], return_index=True)
    named, names = starts[inside][kept], symbols[_NAME][inside][kept].astype(np.int64)
    reach = np.concatenate(([first], ends[:-1])) if full is None else named
    strings = sections[table.link].of(image)
    return LibraryFunctions(file_name, reach, ends, names, strings, named)
