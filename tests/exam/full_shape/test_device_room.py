"""What a device must hold is counted before anything is drawn."""

from __future__ import annotations

from assay.exam.full_shape.device_room import BLOCK_BYTES, DeviceRoom
from assay.exam.full_shape.independent_parts import IndependentParts
from assay.tasks.shapes.footprint import Footprint

GIB = 1 << 30
ROWS = IndependentParts("rows", 4096, (0,), (0,))


def room(*inputs: tuple[int, ...], out: tuple[int, ...]) -> DeviceRoom:
    return DeviceRoom.of(Footprint(inputs, "", (), (out,)), 4)


def test_an_elementwise_task_of_six_gigabytes_fits_a_large_device_in_blocks() -> None:
    large = room((4096, 393216), out=(4096, 393216))
    assert large.fits(140 * GIB) and not large.fits(80 * GIB)
    block = large.block(ROWS, 140 * GIB)
    assert block is not None and 1 < block < 4096
    assert 150 * 2 * 393216 * block <= BLOCK_BYTES


def test_what_every_block_needs_whole_takes_what_is_left() -> None:
    product = room((256, 524288), (524288, 256), out=(256, 256))
    parts = IndependentParts("M", 256, (0, None), (0,))
    assert product.block(parts, 140 * GIB) is not None
    assert product.block(parts, 24 * GIB) is None


def test_what_does_not_fall_into_parts_is_judged_whole_where_it_fits() -> None:
    loss = room((32768, 4096), out=())
    assert loss.block(None, 140 * GIB) == 1 and loss.block(None, 20 * GIB) is None
