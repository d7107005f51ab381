"""A task is cut only where its parts are independent: found by shapes, tried with numbers."""

from __future__ import annotations

import pytest
import torch

from assay.data.task import Task
from assay.exam.full_shape.independent_parts import find_parts
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn

rows, columns = 64, 48


class Model(nn.Module):
    def forward(self, {names}):
        return {body}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""
ONE = ("x", "torch.rand(rows, columns)")


def reference(body: str, names: str = ONE[0], inputs: str = ONE[1]) -> Reference:
    source = SOURCE.format(body=body, names=names, inputs=inputs)
    return Reference(Task(id="cut", source=source, entry="Model", format="kernelbench"))


def test_rows_of_a_softmax_are_independent() -> None:
    parts = find_parts(reference("torch.softmax(x, dim=1)"))
    assert parts is not None
    assert (parts.axis, parts.count, parts.inputs, parts.outputs) == ("rows", 64, (0,), (0,))


def test_columns_of_a_sum_over_rows_are() -> None:
    parts = find_parts(reference("torch.sum(x, dim=0)"))
    assert parts is not None
    assert (parts.axis, parts.inputs, parts.outputs) == ("columns", (1,), (0,))


@pytest.mark.parametrize(
    "body",
    ["x.mean()", "x / x.norm()", "torch.softmax(x, dim=0) * torch.softmax(x, dim=1)", "x.flip(0)"],
)
def test_what_hangs_together_is_not_cut(body: str) -> None:
    found = find_parts(reference(body))
    assert found is None or (found.axis == "columns" and "flip" in body)


def test_what_all_parts_need_stays_whole() -> None:
    inputs = "torch.rand(rows, columns), torch.rand(columns, 32)"
    parts = find_parts(reference("x @ y", "x, y", inputs))
    assert parts is not None and (parts.axis, parts.inputs) == ("rows", (0, None))


def test_a_part_lies_in_memory_of_its_own() -> None:
    parts = find_parts(reference("torch.softmax(x, dim=1)"))
    assert parts is not None
    whole = torch.rand(64, 48)
    (cut,) = parts.of_inputs([whole], 3, 7)
    assert cut.equal(whole[3:7]) and cut.untyped_storage().nbytes() == cut.nbytes
