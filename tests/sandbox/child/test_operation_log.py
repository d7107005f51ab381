"""The log of library operations keeps what computes and leaves out what only copies."""

from __future__ import annotations

import torch

from assay.sandbox.child.operation_log import OperationLog


def test_the_sum_of_one_part_is_no_operation_and_that_of_two_is() -> None:
    one, two = torch.ones(1, 5, 7), torch.ones(2, 5, 7)
    with OperationLog() as log:
        one.sum(0)
    assert log.text() == ""
    with OperationLog() as log:
        two.sum(0)
    assert log.text() == "aten.sum.dim_IntList\t1\t70"
