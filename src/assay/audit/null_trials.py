"""The answers of nulls to one question, made within a deadline.

The rule: a null that cannot be made here - the reference refuses the inputs it needs - passes
nothing, and one for which no time is left is counted, never taken as refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.data.audit import NullKind
from assay.errors import TaskError
from assay.numerics.null_answers import Answer, Null, NullMaterial, null_answer, nulls_of

OTHER_DRAWS = 3


@dataclass
class AuditDeadline:
    """How long null answers may be made, and how many were left out since.

    In seconds of computing: what a busy neighbour takes must not change what is found.
    """

    seconds: float
    untried: int = 0
    _until_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._until_s = time.process_time() + self.seconds

    def passed(self) -> bool:
        """Whether the time is spent."""
        return time.process_time() > self._until_s


def in_stages(inputs: Sequence[Any]) -> tuple[list[Null], list[Null]]:
    """The simple nulls, then the many halves: these say nothing new where a simpler one passes."""
    nulls = list(nulls_of(inputs))
    halves = [null for null in nulls if null.kind is NullKind.HALF]
    return [null for null in nulls if null.kind is not NullKind.HALF], halves


def tried(
    nulls: Iterable[Null], material: NullMaterial, deadline: AuditDeadline
) -> Iterator[tuple[Null, Answer]]:
    """Each null with its answer; those without one are left out."""
    for null in nulls:
        if deadline.passed():
            deadline.untried += 1
            continue
        try:
            answer = null_answer(null, material)
        except TaskError:
            continue
        if answer is not None:
            yield null, answer
