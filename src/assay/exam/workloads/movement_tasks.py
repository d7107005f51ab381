"""Movement tasks: tasks whose whole work is to move elements: a transposed copy, a join, a roll.

The rule: elsewhere a copy by the library counts for nobody, because any honest kernel may copy its
input. Where the reference itself does nothing else, a copy by the library is the task's work,
unless the inputs lie otherwise than the task's own: then a kernel may need a copy to begin with.
Where the reference also sets some elements to one value, an honest kernel may copy all of them and
set these, so copies and fills count only for a kernel that does next to nothing beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.errors import TaskError
from assay.exam.exam import ContentKey, Exam
from assay.sandbox.host.call_content import Content
from assay.source_analysis.tables.operation_names import (
    OVERWRITING,
    REARRANGEMENT,
    OpRole,
    base_role,
)
from assay.tasks.references.reference import Reference
from assay.tasks.references.reference_outputs import flatten

_MOVES = (OpRole.COPY, OpRole.VIEW, OpRole.ALLOCATION, OpRole.BOOKKEEPING)


class CopiesCount(StrEnum):
    """Whether copies and fills by the library count as its computing."""

    NEVER = "never"
    ALONE = "alone"  # for a kernel that does next to nothing beside them
    ALWAYS = "always"


def only_moves(exam: Exam) -> bool:
    """Whether the own call of the reference moves elements, and computes, fills, casts nothing."""
    return _movement(exam).counts is CopiesCount.ALWAYS


def places_anew(exam: Exam) -> bool:
    """Whether it does so into results that lie one element behind the other."""
    return only_moves(exam) and _movement(exam).plain


def copies_count(exam: Exam, content: Content, own_shape: bool) -> CopiesCount:
    """What copies by the library are in calls of this content.

    At another shape the elements that are set may be few beside those that are copied.
    """
    counts, own = _movement(exam).counts, exam.content(ContentKey(0))
    if _is_contiguous(own) and not _is_contiguous(content):
        return CopiesCount.NEVER
    return CopiesCount.NEVER if counts is CopiesCount.ALONE and not own_shape else counts


def _is_contiguous(content: Content) -> bool:
    return all(tensor.is_contiguous() for tensor in content.tensors)


@dataclass(frozen=True)
class _Movement:
    """What the own call of the reference does."""

    counts: CopiesCount
    plain: bool = False  # its results are contiguous


_known: WeakKeyDictionary[Reference, _Movement] = WeakKeyDictionary()


def _movement(exam: Exam) -> _Movement:
    """Asked of the reference once."""
    if exam.reference not in _known:
        _known[exam.reference] = _asked(exam)
    return _known[exam.reference]


def _asked(exam: Exam) -> _Movement:
    roles, module = _Roles(), exam.bound(0).module
    given = exam.content(ContentKey(0)).inputs
    inputs = [v.clone() if isinstance(v, torch.Tensor) else v for v in given]  # it may update them
    try:
        with exam.turn, torch.no_grad(), roles:
            results = [tensor for _, tensor in flatten(module(*inputs))]
    except (TaskError, RuntimeError):  # not for this mode
        return _Movement(CopiesCount.NEVER)
    return _Movement(roles.counts, all(result.is_contiguous() for result in results))


class _Roles(TorchDispatchMode):
    """What the operators of a call do to data."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._seen: set[OpRole] = set()
        self._overwrites = False

    @property
    def counts(self) -> CopiesCount:
        """What follows for copies by the library."""
        roles = self._seen - {OpRole.FILL} if self._overwrites else self._seen
        if OpRole.COPY not in roles or not roles <= set(_MOVES):
            return CopiesCount.NEVER
        return CopiesCount.ALONE if self._overwrites else CopiesCount.ALWAYS

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> torch.Tensor:
        name = func._schema.name.partition("::")[2].rstrip("_")
        moves = name in REARRANGEMENT or name in OVERWRITING
        self._seen.add(OpRole.COPY if moves else base_role(name))
        self._overwrites |= name in OVERWRITING
        return func(*args, **(kwargs or {}))  # type: ignore[no-any-return]
