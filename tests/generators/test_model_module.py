"""A task's module rewritten as a candidate's."""

from __future__ import annotations

import ast

import pytest

from assay.generators.model_module import ModelModule
from assay.tasks.catalog import resolve


def test_the_class_is_renamed_and_keeps_its_constructor() -> None:
    task = resolve("layernorm")
    text = ModelModule(task.source, task.entry).text()
    assert "class ModelNew(nn.Module)" in text
    assert "self.weight = nn.Parameter(torch.ones(features))" in text
    assert "Model)" not in text.replace("ModelNew", "")


def test_what_only_the_judge_needs_is_left_out() -> None:
    task = resolve("sgd_in_place")
    text = ModelModule(task.source, task.entry).text()
    for name in ("AXES", "TAGS", "CONTRACT", "Vendor", "get_inputs", "65536"):
        assert name not in text
    assert "RATE" in text  # the class reads it


def test_forward_gets_another_body() -> None:
    task = resolve("swiglu")
    module = ModelModule(task.source, task.entry)
    assert module.parameters == ("gate", "up")
    module.replace_forward(["return gate + up"])
    body = ast.parse(module.text())
    assert "return gate + up" in ast.unparse(body)
    assert "sigmoid(gate)" not in module.text().partition('"""')[2]


def test_a_class_without_forward_is_refused() -> None:
    with pytest.raises(ValueError, match="forward"):
        ModelModule("class Model:\n    pass\n", "Model").replace_forward(["return 1"])
