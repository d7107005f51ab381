"""Which null answers a workload lets through."""

from __future__ import annotations

import torch

from assay.measure.nulls import NullMaterial, degenerate
from measure.references import expected, normal


def test_an_ordinary_workload_lets_none_through() -> None:
    x = normal(16, 16)
    material = NullMaterial(inputs=[x], previous=[normal(16, 16, seed=1).exp()])
    assert degenerate([expected(torch.exp, x)], material) == []


def test_zeros_and_constants() -> None:
    assert degenerate([expected(lambda a: a * 0, normal(4, 4))]) == ["zeros", "mean"]
    assert "ones" in degenerate([expected(lambda a: a.softmax(-1), normal(4, 1))])
    assert degenerate([expected(torch.sign, normal(4, 4).abs())]) == ["ones", "mean"]


def test_identity_and_memory() -> None:
    x = normal(4, 4).abs()
    found = degenerate([expected(torch.relu, x)], NullMaterial(inputs=[x], previous=[x.clone()]))
    assert found == ["previous answer", "input 0"]
    assert (
        degenerate([expected(torch.cos, x * 0)], NullMaterial(at_zero=[torch.ones(4, 4)]))[-1]
        == "f(0)"
    )


def test_every_output_must_pass() -> None:
    x = normal(4, 4)
    outputs = [expected(lambda a: a * 0, x), expected(torch.exp, x)]
    assert degenerate(outputs) == []


def test_integers_and_empty_outputs() -> None:
    assert "zeros" in degenerate([expected(lambda a: a.argmax(-1), torch.eye(8)[:1])])
    assert degenerate([expected(torch.exp, torch.empty(0, 4))]) == []
