"""Which minus infinities an answer may hold: those that were only chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
import torch
from torch.nn import functional as F

from assay.data.workload import Distribution
from assay.tasks.references.admission import Admission, Drawing, examine
from assay.tasks.references.bound_reference import BoundReference
from support.references import Reference, normal

Operation = Callable[[torch.Tensor], torch.Tensor]


@pytest.mark.parametrize(
    ("operation", "admitted"),
    [
        (lambda x: F.max_pool2d(x, 3, stride=2, padding=1), True),
        (lambda x: x.sort(dim=-1).values, True),
        (lambda x: x.cummax(dim=-1).values, True),
        (lambda x: x.flip(-1), True),
        (lambda x: x.softmax(-1), True),
        (lambda x: F.avg_pool2d(x, 3), False),
        (lambda x: x.cumsum(-1), False),
        (lambda x: x.sum(-1), False),
        (lambda x: -x, False),
        (lambda x: x * 2.0, True),
    ],
)
def test_rows_of_minus_infinity(operation: Operation, admitted: bool) -> None:
    x = normal(1, 2, 9, 16)
    x[..., :8] = -torch.inf
    reference = Reference(operation)

    def bound(inputs: object, state: object, wide: bool) -> object:
        return reference(cast("list[torch.Tensor]", inputs), {}, wide)

    drawing = Drawing((x,), {}, Distribution.MINUS_INF)
    found = examine(cast(BoundReference, bound), drawing, stochastic=False)
    assert (found is not Admission.REFUSED) is admitted
