"""Compiler output: what ptxas, cuobjdump and AMD's assembler say about each kernel, read as text.

The rule: a figure that was not said is None, never zero.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROPERTIES = re.compile(
    r"Function properties for (?P<name>\S+)\s+"
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, "
    r"(?P<loads>\d+) bytes spill loads\s+"
    r"(?:ptxas\S* info\s*:\s*Used (?P<used>[^\n]*))?"
)
_REGISTERS = re.compile(r"(\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")
_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+(\w+)", re.MULTILINE)
_FUNCTION = re.compile(r"^\s*Function : (\S+)", re.MULTILINE)
_AMD_FIELD = re.compile(r"^\s*[-\s]\s*\.(\w+):\s*(\d+)\s*$", re.MULTILINE)
_MANGLED = re.compile(r"_ZN?L?(\d+)")


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel takes."""

    registers: int | None = None
    shared_bytes: int | None = None
    stack_bytes: int | None = None
    spill_bytes: int | None = None


def ptxas_resources(log: str) -> dict[str, Resources]:
    """By symbol, from what `ptxas -v` prints."""
    found = {}
    for match in _PROPERTIES.finditer(log):
        used = match["used"] or ""
        registers, shared = _REGISTERS.search(used), _SHARED.search(used)
        found[match["name"]] = Resources(
            registers=int(registers[1]) if registers else None,
            shared_bytes=int(shared[1]) if shared else 0 if registers else None,
            stack_bytes=int(match["stack"]),
            spill_bytes=int(match["stores"]) + int(match["loads"]),
        )
    return found


def amd_resources(assembly: str) -> Resources:
    """From the metadata at the end of AMD's assembly of one kernel."""
    fields = {name: int(value) for name, value in _AMD_FIELD.findall(assembly)}
    spilled = [fields[name] for name in ("vgpr_spill_count",) if name in fields]
    return Resources(
        registers=fields.get("vgpr_count"),
        shared_bytes=fields.get("group_segment_fixed_size"),
        stack_bytes=fields.get("private_segment_fixed_size"),
        spill_bytes=4 * spilled[0] if spilled else None,
    )


def ptx_entries(ptx: str) -> dict[str, str]:
    """The PTX of each kernel by symbol; functions that follow it count as its own."""
    return _parts(_ENTRY, ptx)


def sass_functions(disassembly: str) -> dict[str, str]:
    """The machine code of each function by symbol, as `cuobjdump -sass` prints it."""
    return _parts(_FUNCTION, disassembly)


def _parts(heading: re.Pattern[str], text: str) -> dict[str, str]:
    found = list(heading.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return {match[1]: text[match.end() : end] for match, end in zip(found, ends, strict=True)}


def plain_name(symbol: str) -> str:
    """The name that the source gave a C++ symbol, without its namespaces and types."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    position, name = match.end(), symbol
    length: str | None = match[1]
    while length is not None:
        name = symbol[position : position + int(length)]
        position += int(length)
        following = re.match(r"L?(\d+)", symbol[position:]) if symbol.startswith("_ZN") else None
        length = following[1] if following else None
        position += following.end() if following else 0
    return name
