"""Which references are asked in both modes, and on what."""

from __future__ import annotations

import pytest

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task
from assay.data.workload import Distribution, Layout, Workload
from assay.tasks.references.reference import Reference
from assay.tasks.references.training_modes import ignores_modes, in_other_mode

SOURCE = """
import torch
from torch import nn

rows = 16
cols = 8


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {layer}

    def forward(self, x):
        return self.layer(x)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
"""
AXES = (
    Axis(name="rows", own=16, high=1 << 20, role=AxisRole.BATCH),
    Axis(name="cols", own=8, high=8),
)


def _reference(layer: str) -> Reference:
    source = SOURCE.format(layer=layer)
    task = Task(id="layer", format="kernelbench", source=source, axes=AXES)
    return Reference(task)


def _workload(rows: int, **other: object) -> Workload:
    return Workload.model_validate({"axes": {"rows": rows, "cols": 8}, "dtype": "float32", **other})


OWN = _workload(16, own=True)
WORKLOADS = (
    OWN,
    _workload(0),
    _workload(7),
    _workload(5, distribution=Distribution.LARGE),
    _workload(9, layout=Layout.TRANSPOSED),
    _workload(1 << 18),
    _workload(11),
    _workload(13),
)


def test_batch_statistics_are_asked_in_the_other_mode_too() -> None:
    found = in_other_mode(_reference("self.layer = nn.BatchNorm1d(cols)"), WORKLOADS)
    assert [(w.axes["rows"], w.training, w.own) for w in found] == [
        (16, False, False),
        (7, False, False),
        (11, False, False),
    ]


def test_a_reference_that_its_constructor_leaves_in_eval_is_not_trained() -> None:
    """Who folds its statistics into weights is right wherever it is used."""
    layer = "self.layer = nn.BatchNorm1d(cols); self.eval()"
    assert in_other_mode(_reference(layer), WORKLOADS) == ()


@pytest.mark.parametrize(
    "layer",
    [
        "self.layer = nn.Linear(cols, 4)",
        "self.layer = nn.Dropout(p=0.0)",
        "self.layer = nn.BatchNorm1d(cols, track_running_stats=False)",
        "self.layer = nn.Dropout(p=0.5); self.eval()",
    ],
)
def test_a_mode_that_changes_nothing_or_is_random_is_not_asked(layer: str) -> None:
    assert in_other_mode(_reference(layer), WORKLOADS) == ()


def test_a_large_own_workload_is_not_asked_twice() -> None:
    large = _workload(1 << 18, own=True)
    found = in_other_mode(_reference("self.layer = nn.BatchNorm1d(cols)"), (large, *WORKLOADS[1:]))
    assert [w.axes["rows"] for w in found] == [7, 11]


def test_a_layer_that_the_constructor_froze_stays_frozen_in_the_own_mode() -> None:
    reference = _reference("self.layer = nn.BatchNorm1d(8).eval()")
    assert reference.bind({}, 1, training=True).module.layer.training is False
    assert reference.bind({}, 1, training=False).module.training is False


@pytest.mark.parametrize(
    ("source", "blind"),
    [
        ("torch.relu(self.fc(x))", True),
        ("nn.LayerNorm(64)", True),
        ("F.dropout(x, training=self.training)", False),
        ("nn.BatchNorm2d(8)", False),
        ("F.batch_norm(x, m, v)", False),
        ("nn.GRU(8, 8)", False),
    ],
)
def test_what_can_tell_the_modes_apart(source: str, blind: bool) -> None:
    assert ignores_modes(source) is blind
