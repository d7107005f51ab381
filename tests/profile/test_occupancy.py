"""Occupancy on sm_90, worked out by hand: 65536 registers, 64 warps, 228 KiB, 32 blocks."""

from __future__ import annotations

import pytest

from assay.profile.occupancy import KernelResources, Occupancy, multiprocessor, occupancy

KIB = 1024


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        # 8 warps; 32 registers x 32 = 1024 a warp: 4 x 16 warps = 8 blocks, as 64 / 8 warps.
        ((32, 0, 256), Occupancy(8, 1.0, "warps")),
        # 128 x 32 = 4096 a warp: 4 x 4 = 16 warps: 2 blocks of 8.
        ((128, 0, 256), Occupancy(2, 0.25, "registers")),
        # 33 x 32 = 1056, in units of 256: 1280 a warp; 16384 / 1280 = 12; 48 warps: 6 blocks.
        ((33, 0, 256), Occupancy(6, 0.75, "registers")),
        # 255 x 32 = 8160 -> 8192: 2 warps a part, 8 in all: 1 block of 8.
        ((255, 0, 256), Occupancy(1, 0.125, "registers")),
        # 168 x 32 = 5376 a warp: 3 a part, 12 in all: 3 blocks of 4 warps.
        ((168, 0, 128), Occupancy(3, 12 / 64, "registers")),
        # 255 registers in blocks of 32 warps: 8 warps fit, the block does not.
        ((255, 0, 1024), Occupancy(0, 0.0, "registers")),
        # One warp a block: 32 blocks are the most.
        ((16, 0, 32), Occupancy(32, 0.5, "blocks")),
        # 33 threads are two warps.
        ((16, 0, 33), Occupancy(32, 1.0, "warps")),
        # 48 KiB + 1 KiB reserved: 228 / 49 = 4 blocks of 4 warps.
        ((32, 48 * KIB, 128), Occupancy(4, 0.25, "shared mem")),
        # 227 KiB is the most a block may have: with the reserved one it fills all 228.
        ((32, 227 * KIB, 128), Occupancy(1, 4 / 64, "shared mem")),
        # 100 bytes + 1024, in units of 128: 1152; 233472 / 1152 = 202 blocks: no limit here.
        ((32, 100, 1024), Occupancy(2, 1.0, "warps")),
    ],
)
def test_by_hand_on_sm_90(asked: tuple[int, int, int], found: Occupancy) -> None:
    sm = multiprocessor("sm_90")
    assert sm is not None
    assert occupancy(KernelResources(*asked), sm) == found


def test_other_architectures_have_limits_of_their_own() -> None:
    kernel = KernelResources(registers=32, shared_bytes=0, threads=512)
    ada, ampere = multiprocessor("sm_89"), multiprocessor("sm_80")
    assert ada is not None and ampere is not None
    assert occupancy(kernel, ada).blocks == 3  # 48 warps of 16
    assert occupancy(kernel, ampere).blocks == 4
    assert multiprocessor("sm_999") is None and multiprocessor("x86-64") is None
