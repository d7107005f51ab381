"""Movement tasks: tasks whose whole work is to move elements: a transposed copy, a join, a roll.

The rule: elsewhere a copy by the library counts for nobody, because any honest kernel may copy its
input. Where the reference itself does nothing else, a copy by the library is the task's work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.errors import TaskError
from assay.exam.exam import ContentKey, Exam
from assay.source_analysis.tables.operation_names import OpRole, base_role
from assay.tasks.references.reference import Reference
from assay.tasks.references.reference_outputs import flatten

_MOVES = (OpRole.COPY, OpRole.VIEW, OpRole.ALLOCATION, OpRole.BOOKKEEPING)


def only_moves(exam: Exam) -> bool:
    """Whether the own call of the reference copies, and computes, fills and casts nothing."""
    return _movement(exam).only_moves


def places_anew(exam: Exam) -> bool:
    """Whether it does so into results that lie one element behind the other."""
    return _movement(exam).only_moves and _movement(exam).plain


@dataclass(frozen=True)
class _Movement:
    """What the own call of the reference does."""

    only_moves: bool
    plain: bool  # its results are contiguous


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
        return _Movement(only_moves=False, plain=False)
    moves = OpRole.COPY in roles.seen and roles.seen <= set(_MOVES)
    return _Movement(moves, all(result.is_contiguous() for result in results))


class _Roles(TorchDispatchMode):
    """What the operators of a call do to data."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: set[OpRole] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> torch.Tensor:
        self.seen.add(base_role(func._schema.name.partition("::")[2].rstrip("_")))
        return func(*args, **(kwargs or {}))  # type: ignore[no-any-return]
