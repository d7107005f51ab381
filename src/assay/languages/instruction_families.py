"""Instruction families: which kinds of instructions stand in a kernel's assembly and machine code.

The rule: an instruction is counted where it is issued. A word in a comment, a label or the name of
a kernel is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.data.observations.compilation import InstructionFamily

# Before an instruction stand a line's beginning, the end of another, or a brace, and a predicate.
_ISSUED = r"(?:^|[;{}])[ \t]*(?:@!?[%$\w]+[ \t]+)?"

_PTX = {
    "wgmma": r"wgmma\.mma_async",
    "tcgen05": r"tcgen05\.mma",
    "mma.sync": r"(?:mma\.sync|mma\.sp|wmma\.mma)",
    "TMA": r"cp\.(?:reduce\.)?async\.bulk\.(?:prefetch\.)?tensor",
    "bulk copy": r"cp\.(?:reduce\.)?async\.bulk\.(?:shared|global)",
    "cp.async": r"cp\.async\.c[ag]\.",
    "mbarrier": r"mbarrier\.",
    "cluster": r"(?:barrier\.cluster\.|mapa\.)",
    "ldmatrix": r"(?:ldmatrix|stmatrix)\.",
    "shuffle": r"shfl\.",
    "atomics": r"(?:atom|red)\.",
    "vector access": r"(?:ld|st)\.(?:[a-z_:]+\.)*v[248]\.",
    "local memory": r"(?:ld|st)\.local\.",
}
_SASS = {
    "wgmma": r"[A-Z]GMMA\b",
    "tcgen05": r"UTC[A-Z]*MMA\b",
    "mma.sync": r"(?:[HIBDQO]MMA)\b",
    "TMA": r"UTMA(?:LDG|STG|REDG|PF)\b",
    "bulk copy": r"UBLK(?:CP|RED|PF)\b",
    "cp.async": r"LDGSTS\b",
    "mbarrier": r"SYNCS\b",
    "cluster": r"(?:UCGABAR_ARV|UCGABAR_WAIT|UCGABAR_GET|MAPA)\b",
    "ldmatrix": r"(?:LDSM|STSM)\b",
    "shuffle": r"SHFL\b",
    "atomics": r"(?:ATOMG|ATOMS|ATOM|REDG|RED)\b",
    "vector access": r"(?:LDG|STG|LDS|STS)(?:\.[A-Z]+)*\.(?:64|128|256)\b",
    "local memory": r"(?:LDL|STL)\b",
}
_AMD = {
    "v_mfma": r"v_s?mfmac?_",
    "v_wmma": r"v_s?wmmac?_",
    "direct to LDS": r"(?:buffer|global)_load_\w+.*\blds\b",
    "LDS": r"ds_(?:read|write|load|store)",
    "cross-lane": r"(?:ds_bpermute|ds_permute|ds_swizzle|v_\w+_dpp|v_permlane\w*)",
    "atomics": r"(?:(?:global|buffer|flat)_atomic_|ds_(?:add|sub|min|max|inc|cmpst|wrxchg)_)",
    "vector access": r"(?:global|buffer)_(?:load|store)_dwordx[24]",
    "scratch memory": r"scratch_(?:load|store)_",
}
_INLINE = re.compile(r"^\s*// begin inline asm", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_AMD_COMMENT = re.compile(r";[^\n]*|//[^\n]*")


def ptx_families(ptx: str, sass: str | None) -> tuple[InstructionFamily, ...]:
    """What stands in the PTX of one kernel, and in its machine code where that is known."""
    assembly = _counts(_PTX, _COMMENT.sub("", ptx))
    binary = None if sass is None else _counts(_SASS, _COMMENT.sub("", sass))
    return _families(assembly, binary)


def inline_assembly(ptx: str) -> tuple[InstructionFamily, ...]:
    """Pieces of inline assembly in the PTX of one kernel: nvcc marks them."""
    count = len(_INLINE.findall(ptx))
    return (InstructionFamily(name="inline assembly", assembly=count),) if count else ()


def amd_families(assembly: str) -> tuple[InstructionFamily, ...]:
    """What stands in AMD's assembly of one kernel, which is the machine code line by line."""
    counts = _counts(_AMD, _AMD_COMMENT.sub("", assembly))
    return _families(counts, counts)


def _counts(patterns: Mapping[str, str], text: str) -> dict[str, int]:
    return {
        name: len(re.findall(_ISSUED + pattern, text, re.MULTILINE))
        for name, pattern in patterns.items()
    }


def _families(
    assembly: dict[str, int], binary: dict[str, int] | None
) -> tuple[InstructionFamily, ...]:
    """Families that were found at all, in the order of the tables."""
    found = []
    for name, count in assembly.items():
        coded = None if binary is None else binary[name]
        if count or coded:
            found.append(InstructionFamily(name=name, assembly=count, binary=coded))
    return tuple(found)
