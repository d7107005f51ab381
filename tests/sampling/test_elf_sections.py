"""Sections of object files, by their headers: the same as elftools finds, and nothing of others."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from assay.sampling.elf_sections import elf_sections

_PROGRAM = Path(sys.executable).resolve()


def test_sections_are_those_that_elftools_finds() -> None:
    image = memoryview(_PROGRAM.read_bytes())
    found = elf_sections(image)
    with _PROGRAM.open("rb") as file:
        expected = list(ELFFile(file).iter_sections())
        assert [one.name for one in found] == [one.name for one in expected]
        for one, other in zip(found, expected, strict=True):
            fields = ("sh_addr", "sh_offset", "sh_size", "sh_link")
            assert (one.address, one.offset, one.size, one.link) == tuple(other[f] for f in fields)
        text = next(one for one in expected if one.name == ".dynstr")
        assert bytes(next(one for one in found if one.name == ".dynstr").of(image)) == text.data()


@pytest.mark.parametrize("length", [0, 3, 60, 200])
def test_what_is_cut_off_has_none(length: int) -> None:
    with pytest.raises(ValueError):
        elf_sections(memoryview(_PROGRAM.read_bytes()[:length]))


def test_a_table_of_names_that_is_not_there_is_refused() -> None:
    data = bytearray(_PROGRAM.read_bytes())
    struct.pack_into("<H", data, 62, 60000)
    with pytest.raises(ValueError):
        elf_sections(memoryview(data))


def test_a_32_bit_object_is_refused() -> None:
    data = bytearray(_PROGRAM.read_bytes()[:4096])
    data[4] = 1
    with pytest.raises(ValueError):
        elf_sections(memoryview(data))
