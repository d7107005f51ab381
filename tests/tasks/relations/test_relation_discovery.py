"""Which relations are found to hold on small references."""

from __future__ import annotations

import pytest
import torch

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task
from assay.data.workload import Workload
from assay.tasks.references.reference import Reference
from assay.tasks.relations.relation import Relation
from assay.tasks.relations.relation_discovery import discover

SOURCE = """
import torch
from torch import nn

rows = 6
cols = 8


class Model(nn.Module):
    def forward(self, x):
        return {expression}


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
{more}
"""
AXES = (
    Axis(name="rows", own=6, high=256, role=AxisRole.BATCH),
    Axis(name="cols", own=8, high=512),
)
ROWS = {"permuted", "rows repeated", "split", "joined", "padded"}


def _found(expression: str, more: str = "", rows: int = 6) -> dict[str, Relation]:
    source = SOURCE.format(expression=expression, more=more)
    task = Task(id="t", format="kernelbench", source=source, axes=AXES)
    workload = Workload(axes={"rows": rows, "cols": 8}, dtype="float32")
    return {relation.name: relation for relation in discover(Reference(task), workload, 3)}


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("torch.softmax(x, -1)", ROWS | {"input 0 shifted, invariant"}),
        ("x.sum(-1)", ROWS | {"input 0 scaled, degree 1"}),
        ("(x * x).mean(-1)", ROWS | {"input 0 scaled, degree 2"}),
        ("x.argmax(-1)", ROWS | {"input 0 scaled, degree 0", "input 0 shifted, invariant"}),
        ("x.amax(-1)", ROWS | {"input 0 scaled, degree 1", "input 0 shifted, equivariant"}),
        ("torch.tanh(x)", ROWS),
        ("torch.tanh(x).sum()", {"permuted", "padded"}),
        ("torch.softmax(x, 0)", {"permuted", "input 0 shifted, invariant"}),
        ("torch.tanh(x).cumsum(0)", {"padded"}),
    ],
)
def test_what_holds_is_found_and_nothing_else(expression: str, wanted: set[str]) -> None:
    assert set(_found(expression)) == wanted


def test_a_square_elementwise_task_may_be_transposed() -> None:
    assert "transposed" in _found("torch.tanh(x)", rows=8)
    assert "transposed" not in _found("torch.tanh(x) + torch.arange(8.0)", rows=8)


def test_where_the_reference_is_not_finite_nothing_is_demanded() -> None:
    assert "padded" not in _found("x / x.norm(dim=-1, keepdim=True)")  # a row of zeros is 0 / 0


def test_a_task_adds_its_own_and_it_must_hold_too() -> None:
    more = """
RELATIONS = {
    "mirrored": (lambda x: [x.flip(-1)], lambda y: [y]),
    "odd": (lambda x: [-x], lambda y: [-y]),
    "broken": (lambda x: [x.nothing], lambda y: [y]),
}
"""
    found = _found("torch.tanh(x).sum(-1)", more)
    assert set(found) == ROWS | {"mirrored", "odd"}
    assert torch.equal(found["odd"].predict((torch.ones(2),))[0], -torch.ones(2))
