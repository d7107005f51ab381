"""Constants of a reference, and floats drawn at them."""

from __future__ import annotations

import math
from typing import Any

import torch

from assay.tasks.values.constant_values import at_thresholds, beside, on_halves
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.reference_constants import Comparison, Constants, ConstantWatch


def _seen(run: Any, *inputs: Any) -> Constants:
    with ConstantWatch(inputs) as watch:
        run(*inputs)
    return watch.found()


def test_constants_are_those_that_operations_treat_apart() -> None:
    found = _seen(lambda x: torch.where(x > 0.75, x * 3.5, x).clamp(-2.0, 6.0), torch.randn(20))
    assert set(found.thresholds) == {0.75, -2.0, 6.0}
    assert found.comparisons == (Comparison("gt", 0, 0.75),) and not found.computed
    assert not found.rounds and found.levels == ()
    assert _seen(lambda x: x.exp() > 0.5, torch.randn(20)).computed


def test_tiny_thresholds_are_those_of_what_is_computed() -> None:
    normalised = _seen(lambda x: torch.nn.functional.normalize(x, dim=-1), torch.randn(4, 5))
    assert normalised.tiny_thresholds == (1e-12,) and normalised.thresholds == ()
    added = _seen(
        lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt(), torch.randn(4, 5)
    )
    assert added.tiny_thresholds == (1e-5,)
    least = torch.tensor(2.0**-40)
    assert _seen(lambda x: x.norm().maximum(least), torch.randn(9)).tiny_thresholds == (2.0**-40,)


def test_an_input_has_no_tiny_thresholds_and_what_squares_lose_is_none() -> None:
    assert _seen(lambda x: x.clamp_min(1e-12).log(), torch.rand(9)).tiny_thresholds == ()
    assert _seen(lambda x: x.norm().clamp_min(1e-30), torch.randn(9)).tiny_thresholds == ()
    assert _seen(lambda x: x.exp().clamp_min(0.25), torch.randn(9)).tiny_thresholds == ()
    assert _seen(lambda x: x.exp() * 1e-9, torch.randn(9)).tiny_thresholds == ()


def test_a_comparison_is_followed_through_casts_and_views() -> None:
    labels = torch.arange(20)
    found = _seen(lambda x, t: t.int().view(4, 5) != -100, torch.randn(3), labels)
    assert found.comparisons == (Comparison("ne", 1, -100.0),)
    assert Comparison("ge", 0, 0.0).sides == (-1, 0) and Comparison("gt", 0, 0.0).sides == (0, 1)


def test_roundings_name_their_levels_and_powers_of_two() -> None:
    found = _seen(lambda x: torch.round(x * 4.0 / 127.0), torch.randn(20))
    assert found.rounds and found.levels == (127,) and set(found.factors) == {1.0, 4.0, 0.25}
    assert _seen(lambda x: x.to(torch.int32), torch.randn(20)).rounds


def test_writing_by_index_is_seen_and_adding_is_not() -> None:
    x, index = torch.randn(5), torch.randint(0, 9, (5,))
    assert _seen(lambda x, i: torch.zeros(9).index_copy(0, i, x), x, index).overwrites
    assert _seen(lambda x, i: torch.zeros(9).index_put((i,), x), x, index).overwrites
    assert not _seen(lambda x, i: torch.zeros(9).index_add(0, i, x), x, index).overwrites
    assert not _seen(lambda x, i: torch.zeros(9).scatter(0, i, 1.0), x, index).overwrites


def test_a_threshold_is_planted_where_the_dtype_holds_it() -> None:
    half = beside(0.5, torch.float32)
    assert 0.5 in half and torch.nextafter(torch.tensor(0.5), torch.tensor(1.0)) in half
    tenth = beside(0.1, torch.float32)
    assert torch.tensor(0.1) not in tenth and (tenth < 0.1).any() and (tenth > 0.1).any()


def test_every_threshold_is_in_every_draw() -> None:
    own = [torch.randn(8, 9), torch.arange(3)]
    shapes = (Structure.FREE, Structure.FIXED)
    for seed in range(5):
        made = at_thresholds(own, Constants(thresholds=(0.75, -2.0)), shapes, seed)
        assert 0.75 in made[0] and -2.0 in made[0] and made[1] is own[1]
        assert (made[0] == own[0]).any()


def test_halves_tie_and_make_the_scale_of_a_row_a_power_of_two() -> None:
    constants = Constants(rounds=True, levels=(127,), factors=(1.0, 4.0, 0.25))
    (made,) = on_halves([torch.randn(16, 33)], constants, (Structure.FREE,), 5)
    scale = made.abs().amax(-1, keepdim=True) / 127
    assert all(math.frexp(float(one))[0] == 0.5 for one in scale)
    assert ((made / scale).frac().abs() == 0.5).any()
