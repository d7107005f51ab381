"""Explanation: how a candidate is wrong, on the smallest workload on which it is.

The rule: it adds nothing to the verdict's answers. What it says was seen on calls judged like any
other, and where it could not be found it says why.
"""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import Record
from assay.data.workload import Workload


class PatternKind(StrEnum):
    """What the wrong elements have in common."""

    NON_FINITE = "non_finite"  # NaN or infinite where the truth is finite, or the other way round
    ZEROS = "zeros"
    CONSTANT = "constant"  # one value in all of them
    FACTOR = "factor"  # the truth times a constant
    SHIFTED = "shifted"  # the truth plus a constant
    PERMUTED = "permuted"  # the right values in other places
    PRECISION = "precision"  # every one nearly right
    TAIL = "tail"  # the end of a dimension
    SLICES = "slices"  # whole rows, columns or planes
    STRIDE = "stride"  # every n-th of a dimension
    SCATTERED = "scattered"
    EVERYWHERE = "everywhere"
    FORM = "form"  # shape, dtype, type, memory or a lean: no single element shows it
    HISTORY = "history"  # right in a new process: it depends on what came before


class WrongElement(Record):
    """One element beyond its error budget. Numbers as text: they may be NaN or infinite."""

    index: tuple[int, ...]
    expected: str
    got: str
    budget_used: float | None  # null where it is not finite


class Explanation(Record):
    """The smallest failing workload found, and what is wrong there."""

    found_on: Workload  # where the pattern was seen
    smallest: Workload | None  # null where the failure did not repeat itself
    output: str
    shape: tuple[int, ...]  # of that output on the smallest workload
    pattern: PatternKind
    text: str  # the pattern in words
    failure_conditions: tuple[str, ...]  # on which of the exam's workloads it fails, in words
    wrong: int  # elements of the smallest workload beyond their budget
    total: int
    worst: tuple[WrongElement, ...]  # on the smallest workload
    tries: int  # workloads tried while shrinking
