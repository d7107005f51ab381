"""Workload: one concrete shape, dtype, layout, value distribution and direction of a task."""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import Record


class Layout(StrEnum):
    """How an input lies in memory."""

    CONTIGUOUS = "contiguous"
    OWN = "own"  # as the task's own generator leaves it, where that is not contiguous
    TRANSPOSED = "transposed"
    STRIDED = "strided"
    OFFSET = "offset"
    EXPANDED = "expanded"
    SLICED = "sliced"  # a part of wider rows: dimensions cannot be merged
    CHUNKED = "chunked"  # the middle third of rows three times as wide
    OVERLAPPING = "overlapping"  # every row begins in the middle of the one before it
    SAME = "same"  # one tensor is passed for all inputs of one shape
    INTERLEAVED = "interleaved"  # inputs of one shape are views of one storage, row by row
    MIRRORED = "mirrored"  # an input is the transpose of another, in the same memory
    CHANNELS_LAST = "channels_last"  # of inputs with four or five dimensions
    FIRST_TRANSPOSED = "first_transposed"  # the first input, and no other
    REST_TRANSPOSED = "rest_transposed"  # every input but the first
    FIRST_CHANNELS_LAST = "first_channels_last"  # the first input: images and not weights
    FIRST_EXPANDED = "first_expanded"  # the first input repeats one slice, and no other does
    REST_EXPANDED = "rest_expanded"  # every input but the first does, as keys that heads share
    PERMUTED = "permuted"  # what comes before the rows lies within them, as heads of attention do
    REPEATED_COLUMNS = "repeated_columns"  # expanded along the last dimension


class Distribution(StrEnum):
    """How an input's values are drawn."""

    OWN = "own"  # the task's own generator
    NORMAL = "normal"
    UNIFORM = "uniform"
    OUTLIER = "outlier"  # 0.1 % of the elements times 50, and ends of some rows
    OFFSET = "offset"  # a common offset far larger than the spread
    LARGE = "large"  # times two to the power of the workload's scale
    SMALL = "small"
    DYADIC = "dyadic"  # values on a grid where every partial sum is exact in float32
    NEGATIVE = "negative"
    ZEROS = "zeros"  # whole slices of them
    SIGNED_ZEROS = "signed_zeros"  # half of the elements, of either sign
    SUBNORMAL = "subnormal"  # half of the elements lie below the smallest normal number
    TIES = "ties"  # few values of a dyadic grid, and rows of one value
    BLOCKS = "blocks"  # structured blocks that make sub-sampling visible
    KINDS = "kinds"  # rows of large, offset, negative, small and other values, in turn
    OPPOSED = "opposed"  # the first input far above zero, the others as far below
    EQUAL = "equal"  # two inputs of one shape hold the same numbers
    MARKED = "marked"  # masks, lengths, offsets, indices and labels over their whole domains
    CONSTANTS = "constants"  # at the reference's own thresholds, or halfway between integers
    CODES = "codes"  # on the codes of a declared scheme and halfway between two
    NAN = "nan"  # one element is NaN
    INF = "inf"  # one element is infinite
    NANS = "nans"  # several elements of a row are NaN, one or two of others, and a full row
    BESIDE_INF = "beside_inf"  # one element is NaN, others before it in its row are infinite
    MINUS_INF = "minus_inf"  # rows begin with minus infinity
    LITERALS = "literals"  # the workload's values, their neighbours and a band around each


class Direction(StrEnum):
    """Which computation is asked for."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Category(StrEnum):
    """Kinds of shapes: four ranges of sizes, two kinds of numbers, two kinds of proportions."""

    TINY = "tiny"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    POWER_OF_TWO = "power of two"
    OTHER = "no power of two"  # primes
    RECTANGULAR = "rectangular"
    SQUARE = "square"


class Workload(Record):
    """One point of the five input axes."""

    axes: dict[str, int]
    dtype: str
    layout: Layout = Layout.CONTIGUOUS
    distribution: Distribution = Distribution.OWN
    scale: int = 0  # power of two: of the values (large, small), of their mean (offset)
    direction: Direction = Direction.FORWARD
    training: bool | None = None  # train() or eval(); None: as the constructor leaves it
    values: tuple[float, ...] = ()  # numbers of the candidate that some elements are (literals)
    category: Category | None = None  # of a shape that is timed beside the own one
    own: bool = False  # True for the task's own benchmark shape and generator
