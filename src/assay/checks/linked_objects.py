"""Linked objects: what the shared objects in a candidate's scratch folder need and offer.

The rule: read from outside, from bytes that may be hostile, while the candidate stands still; an
object that cannot be read is named as such, never passed over. Only symbols of compute libraries
are kept: what an object takes from one (`needs`), and what it offers itself (`offers`), which is
many for a library that was copied and none for a kernel.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import BuiltObject, ObjectsSeen
from assay.data.settings import Track
from assay.sandbox.host import scratch
from assay.source_analysis.tables.native_symbols import computed_by_symbol

_MAGIC = b"\x7fELF"
_MOST_OBJECTS = 32
_MOST_BYTES = 64 << 20  # a kernel is some hundred kilobytes, a whole BLAS some 30 megabytes
_KEPT = 20
# Whoever looks symbols up at run time may need any of them.
_LOOKUPS = ("dlsym", "dlvsym", "dl_iterate_phdr")


def read_objects(context: CheckContext) -> list[ObjectsSeen]:
    """The scratch folder of a candidate that stands still."""
    context.session.process.freeze()
    return [built_objects(context.session.process.scratch)]


def built_objects(root: int) -> ObjectsSeen:
    """Every shared object below the folder."""
    try:
        return ObjectsSeen(objects=tuple(_objects(root)))
    except (scratch.Unkeepable, OSError) as error:
        return ObjectsSeen(reason=str(error))


def _objects(root: int) -> Iterator[BuiltObject]:
    found = scratch.files_beginning(root, _MAGIC, _MOST_BYTES)
    for number, (path, size, data) in enumerate(found):
        if number == _MOST_OBJECTS:
            raise scratch.Unkeepable(f"more than {_MOST_OBJECTS} objects")
        if size > _MOST_BYTES:
            yield BuiltObject(path=path, bytes=size, problem="too large for a kernel")
        elif (built := _read(path, data)) is not None:
            yield built


def _read(path: str, data: bytes) -> BuiltObject | None:
    """None for what is no shared object (object files and programs on the way to one)."""
    try:
        file = ELFFile(io.BytesIO(data))
        if file.header["e_type"] != "ET_DYN":
            return None
        # Segments are what the loader reads; sections can be stripped away.
        (table,) = (s for s in file.iter_segments() if isinstance(s, DynamicSegment))
        libraries = tuple(
            str(getattr(tag, "needed", ""))[:200] for tag in table.iter_tags("DT_NEEDED")
        )
        needs, offers = _symbols(table)
    except (ELFError, ValueError, KeyError, OverflowError, MemoryError, RecursionError) as error:
        return BuiltObject(path=path, bytes=len(data), problem=f"unreadable: {error}"[:200])
    return BuiltObject(
        path=path,
        bytes=len(data),
        libraries=libraries[:_KEPT],
        needs=tuple(sorted(needs))[:_KEPT],
        offers=tuple(sorted(offers))[:_KEPT],
    )


def _symbols(table: DynamicSegment) -> tuple[set[str], set[str]]:
    needs: set[str] = set()
    offers: set[str] = set()
    for symbol in table.iter_symbols():
        operation = symbol.name if symbol.name in _LOOKUPS else computed_by_symbol(symbol.name)
        if operation:
            if symbol["st_shndx"] == "SHN_UNDEF":
                needs.add(operation[:120])
            elif symbol["st_info"]["bind"] == "STB_GLOBAL":  # weak ones are inlined from headers
                offers.add(operation[:120])
    return needs, offers


CHECK = Check(
    CheckDeclaration(
        name="linked objects",
        text="Do the shared objects that it built take their computing from a library?",
        kinds=(EvidenceKind.DELEGATION,),
        cost=Cost.NOTHING,
        most=f"at most {_MOST_OBJECTS} files are read",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
    ),
    read_objects,
)
