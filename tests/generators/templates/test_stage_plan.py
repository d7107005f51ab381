"""Plans: how many kernels a task becomes, and of which kind."""

from __future__ import annotations

import pytest

from assay.generators.templates.stage import ElementStage, ProductStage, RowStage
from stored_graph import stored_plan

PLANS = {
    "gelu": [ElementStage],
    "softmax": [RowStage],
    "layernorm": [RowStage],
    "rmsnorm": [RowStage],
    "batch_norm": [RowStage],
    "cross_entropy": [RowStage, RowStage],
    "fused_elu_linear": [ProductStage],
    "attention": [ProductStage, RowStage, ProductStage],
    "concatenate": [ElementStage],
}


@pytest.mark.parametrize(("name", "kinds"), PLANS.items())
def test_a_task_becomes_few_kernels(name: str, kinds: list[type]) -> None:
    assert [type(one) for one in stored_plan(name).stages] == kinds


def test_loops_that_lie_behind_one_another_are_one() -> None:
    (stage,) = stored_plan("gelu").stages
    assert isinstance(stage, ElementStage)
    assert len(stage.loops) == 1
