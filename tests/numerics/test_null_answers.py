"""Which null answers a workload lets through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from assay.data.audit import NullKind
from assay.numerics.null_answers import NullMaterial, null_answer, nulls_of, passes, passes_flat
from support.references import expected, normal


def material(function: Callable[..., Any], *draws: Any) -> NullMaterial:
    """The first draw is the question, the others came before it."""
    inputs = [list(draw) if isinstance(draw, tuple) else [draw] for draw in draws]
    return NullMaterial(
        [function(*inputs[0])], inputs[0], inputs[1:], lambda given: [function(*given)]
    )


def accepted(function: Callable[..., Any], *draws: Any) -> list[str]:
    """By the error budget, in words."""
    asked = material(function, *draws)
    wanted = [expected(function, *asked.inputs)]
    answers = [(null, null_answer(null, asked)) for null in nulls_of(asked.inputs)]
    return [null.text for null, answer in answers if answer is not None and passes(wanted, answer)]


def kinds_close(function: Callable[..., Any], *draws: Any, tolerance: float = 1e-2) -> set[str]:
    """By a flat tolerance, as kinds."""
    asked = material(function, *draws)
    answers = [(null, null_answer(null, asked)) for null in nulls_of(asked.inputs)]
    return {
        null.kind.value
        for null, answer in answers
        if answer is not None and passes_flat(asked.right, answer, tolerance)
    }


def test_an_ordinary_workload_lets_none_through() -> None:
    draws = [normal(16, 16, seed=seed) for seed in range(4)]
    assert accepted(torch.exp, *draws) == []
    assert accepted(lambda a: a.sum(-1), *draws) == []


def test_constants() -> None:
    def sign(a: torch.Tensor) -> torch.Tensor:
        return torch.sign(a.abs() + 1)

    found = accepted(lambda a: a * 0, normal(4, 4), normal(4, 4, seed=1))
    assert found[:2] == ["zeros everywhere", "one constant, the mean of an earlier answer"]
    assert "ones everywhere" in accepted(sign, normal(4, 4), normal(4, 4, seed=1))


def test_the_mean_of_a_scalar_is_that_of_an_earlier_answer() -> None:
    found = accepted(lambda a: a.sum(), normal(8, 8), normal(8, 8, seed=1), normal(8, 8, seed=2))
    assert found == []


def test_identity_and_memory() -> None:
    x = normal(4, 4).abs()
    assert accepted(torch.relu, x, x + 1, x + 2) == ["a copy of input 0"]
    found = accepted(torch.cos, x * 0, x)
    assert found[:2] == ["ones everywhere", "the answer to zeros"]


def test_an_answer_that_follows_the_weights_alone() -> None:
    weights = normal(64, seed=9)

    def mean_of_softmax(a: torch.Tensor) -> torch.Tensor:
        return weights + 1e-6 * a.mean()

    draws = [normal(16, 16, seed=seed) for seed in range(4)]
    found = kinds_close(mean_of_softmax, *draws)
    assert {NullKind.PREVIOUS, NullKind.INPUT_INDEPENDENT, NullKind.AT_ZERO} <= found
    assert NullKind.MEAN not in found


def test_a_sub_sampled_mean_passes_a_flat_tolerance_but_not_the_budget() -> None:
    draws = [1 + 0.1 * normal(64, 512, seed=seed) for seed in range(4)]
    assert NullKind.HALF in kinds_close(lambda a: a.mean(), *draws)
    assert accepted(lambda a: a.mean(), *draws) == []


def test_the_first_tile_alone() -> None:
    def mostly_zero(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(a.flatten()[:4], (0, 4096))

    draws = [normal(4, 4, seed=seed) for seed in range(4)]
    assert "the first tile, then zeros" in accepted(mostly_zero, *draws)
    assert NullKind.FIRST_TILE not in kinds_close(torch.exp, *draws)


def test_tiny_outputs_pass_flat_only() -> None:
    draws = [normal(2, 4096, seed=seed) for seed in range(4)]

    def softmax(a: torch.Tensor) -> torch.Tensor:
        return a.softmax(-1)

    assert NullKind.ZEROS in kinds_close(softmax, *draws)
    assert NullKind.ZEROS not in kinds_close(softmax, *draws, tolerance=1e-4)
    assert accepted(softmax, *draws) == []


def test_every_output_must_pass() -> None:
    x = normal(4, 4)
    outputs = [expected(lambda a: a * 0, x), expected(torch.exp, x)]
    assert not passes(outputs, [torch.zeros(4, 4), torch.zeros(4, 4)])
    assert passes(outputs, [torch.zeros(4, 4), x.exp()])
    assert not passes(outputs, [torch.zeros(4, 4)])


def test_integers_and_empty_outputs() -> None:
    assert "zeros everywhere" in accepted(lambda a: a.argmax(-1), torch.eye(8)[:1])
    assert accepted(torch.exp, torch.empty(0, 4)) == []
    assert not passes_flat([torch.empty(0)], [torch.empty(0)], 1.0)


def test_a_half_that_the_answer_does_not_need_is_no_null() -> None:
    draws = [(normal(8, seed=seed), normal(8, seed=seed + 9)) for seed in range(4)]
    assert accepted(lambda x, grad: grad * 2 + 0 * x, *draws) == []
