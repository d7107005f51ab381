"""Roofline: the least time that a board needs for some work.

The rule: dense vendor rates at the highest clock, never measured ones. float32 is priced at the
TF32 rate unless that is ruled out: published float32 baselines do use it.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.limits import Peaks
from assay.limits.work import Work

_UNITS = {
    "float64": "fp64",
    "complex128": "fp64",
    "float32": "tf32",
    "complex64": "tf32",
    "float16": "half",
    "bfloat16": "half",
    "int8": "int8",
    "uint8": "int8",
    "int32": "int8",  # the accumulator of eight-bit operands
}


@dataclass(frozen=True)
class Roof:
    """How long memory and arithmetic take, each for itself."""

    memory_us: float
    arithmetic_us: float
    units: dict[str, str]


def unit_of(dtype: str, allow_tf32: bool = True) -> str:
    """The unit at whose rate products of a dtype are priced."""
    if dtype.startswith("float8"):
        return "fp8"
    unit = _UNITS.get(dtype, "fp32")
    return "fp32" if unit == "tf32" and not allow_tf32 else unit


def roof(work: Work, peaks: Peaks, allow_tf32: bool = True) -> Roof:
    """The two roofs over some work."""
    units = {dtype: unit_of(dtype, allow_tf32) for dtype in work.flops}
    seconds = sum(flops / peaks.rate(units[dtype]) for dtype, flops in work.flops.items())
    return Roof(1e6 * work.bytes / peaks.bytes_per_s, 1e6 * seconds, units)
