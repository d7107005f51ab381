"""Workload: one concrete shape, dtype, layout, value distribution and direction of a task."""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import Record


class Layout(StrEnum):
    """How an input lies in memory."""

    CONTIGUOUS = "contiguous"
    TRANSPOSED = "transposed"
    STRIDED = "strided"
    OFFSET = "offset"
    EXPANDED = "expanded"


class Distribution(StrEnum):
    """How an input's values are drawn."""

    OWN = "own"  # the task's own generator
    NORMAL = "normal"
    UNIFORM = "uniform"
    OUTLIER = "outlier"  # 0.1 % of the elements times 50
    OFFSET = "offset"  # a common offset far larger than the spread
    LARGE = "large"
    SMALL = "small"
    DYADIC = "dyadic"  # values on a grid where every partial sum is exact in float32
    NEGATIVE = "negative"
    ZEROS = "zeros"
    TIES = "ties"
    BLOCKS = "blocks"  # structured blocks that make sub-sampling visible
    MARKED = "marked"  # closed masks, ignored labels, padding indices
    NAN = "nan"  # one element is NaN
    INF = "inf"  # one element is infinite


class Direction(StrEnum):
    """Which computation is asked for."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Workload(Record):
    """One point of the five input axes."""

    axes: dict[str, int]
    dtype: str
    layout: Layout = Layout.CONTIGUOUS
    distribution: Distribution = Distribution.OWN
    direction: Direction = Direction.FORWARD
    own: bool = False  # True for the task's own benchmark shape and generator
