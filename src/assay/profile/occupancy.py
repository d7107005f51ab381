"""Occupancy: how many of a multiprocessor's warps a kernel's resources allow to be there at once.

The rule: it is what the resources allow, never what was reached: few blocks, or blocks that end at
different times, leave less. Limits are the maker's, by architecture; where one is not in the table
nothing is said. Shared memory counts as if the whole of it were carved out of the cache.
"""

from __future__ import annotations

from dataclasses import dataclass

_WARP = 32  # threads
_PARTS = 4  # of a multiprocessor; a warp's registers lie in one of them
_KIB = 1024


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor holds, and in which units it is given away."""

    warps: int
    blocks: int
    shared_bytes: int
    registers: int = 65536
    register_unit: int = 256  # of one warp
    shared_unit_bytes: int = 128  # of one block
    reserved_bytes: int = 1024  # of shared memory, a block, for the system


@dataclass(frozen=True)
class KernelResources:
    """What one kernel asks for."""

    registers: int  # a thread
    shared_bytes: int  # a block, static and dynamic
    threads: int  # a block


@dataclass(frozen=True)
class Occupancy:
    """What fits, and what keeps more from fitting."""

    blocks: int
    share: float  # of the warps that a multiprocessor holds
    limit: str  # the resource that allows the fewest blocks


# CUDA C++ Programming Guide, technical specifications per compute capability.
_ARCHITECTURES = {
    "sm_70": Multiprocessor(64, 32, 96 * _KIB, shared_unit_bytes=256, reserved_bytes=0),
    "sm_75": Multiprocessor(32, 16, 64 * _KIB, shared_unit_bytes=256, reserved_bytes=0),
    "sm_80": Multiprocessor(64, 32, 164 * _KIB),
    "sm_86": Multiprocessor(48, 16, 100 * _KIB),
    "sm_89": Multiprocessor(48, 24, 100 * _KIB),
    "sm_90": Multiprocessor(64, 32, 228 * _KIB),
    "sm_100": Multiprocessor(64, 32, 228 * _KIB),
    "sm_103": Multiprocessor(64, 32, 228 * _KIB),
    "sm_120": Multiprocessor(48, 24, 100 * _KIB),
}


def multiprocessor(architecture: str) -> Multiprocessor | None:
    """That of an architecture (`sm_90`); None where the table has none of that name."""
    return _ARCHITECTURES.get(architecture)


def occupancy(kernel: KernelResources, sm: Multiprocessor) -> Occupancy:
    """The fewest blocks that any resource allows.

    warps      = threads / 32, rounded up
    registers  : a warp takes 32 x registers, rounded up to the unit, from one of four parts;
                 blocks = 4 x (part / warp's registers, rounded down) / warps
    shared mem : blocks = shared memory / (block's + reserved, rounded up to the unit)
    share      = blocks x warps / warps of the multiprocessor
    """
    warps = max(1, -(-kernel.threads // _WARP))
    allowed = {
        "warps": sm.warps // warps,
        "blocks": sm.blocks,
        "registers": _by_registers(kernel.registers, warps, sm),
        "shared mem": sm.shared_bytes
        // max(1, _rounded_up(kernel.shared_bytes + sm.reserved_bytes, sm.shared_unit_bytes)),
    }
    limit = min(allowed, key=allowed.__getitem__)
    blocks = allowed[limit]
    return Occupancy(blocks, blocks * warps / sm.warps, limit)


def _by_registers(registers: int, warps: int, sm: Multiprocessor) -> int:
    of_a_warp = max(sm.register_unit, _rounded_up(registers * _WARP, sm.register_unit))
    return _PARTS * (sm.registers // _PARTS // of_a_warp) // warps


def _rounded_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
