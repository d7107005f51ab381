"""Axis: one named size of a task, and the range in which it may vary."""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import Record


class AxisRole(StrEnum):
    """What changes when the axis changes."""

    BATCH = "batch"  # only the inputs, and every row of them alike
    SIZE = "size"  # only the inputs, but not along the batch
    CONFIG = "config"  # the constructor too: another instance of the module
    CONSTANT = (
        "constant"  # a float of the constructor: 0 is the own one, 1 half, 2 half as much again
    )


class Axis(Record):
    """A size with its own (benchmark) value and the closed range it may take."""

    name: str
    own: int
    low: int = 1
    high: int
    role: AxisRole = AxisRole.SIZE
    multiple_of: int = 1
