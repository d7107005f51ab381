"""Random outputs: right where they look like their law, whatever generator drew them."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, log

import numpy as np
import pytest
import torch

from assay.data.contract import Law, Stochastic
from assay.numerics.contracts.draw_correlation import DrawView, correlated
from assay.numerics.contracts.draws_of_calls import repeated, repeated_view
from assay.numerics.contracts.random_draws import Draws, Finding
from assay.numerics.expectation import ExpectationRequest, OutputExpectation, compare, expect
from support.references import Reference, normal

X = normal(64, 500)
P = torch.rand(64, 500, generator=torch.Generator().manual_seed(1))


def dropout(x: torch.Tensor, seed: int, rate: float = 0.3) -> torch.Tensor:
    kept = np.random.default_rng(seed).random(x.shape) >= rate
    return torch.where(torch.from_numpy(kept), x / 0.7, 0.0)


def of(law: Law, rate: float, x: torch.Tensor) -> OutputExpectation:
    request = ExpectationRequest(seed=0, contract=Stochastic(law=law, rate=rate))
    return expect(Reference(lambda v: v.clone()), (x,), {}, request)[0]


@pytest.mark.exhaustive
def test_two_hundred_honest_dropouts_pass_with_room_to_spare() -> None:
    expected = of(Law.DROPOUT, 0.3, X)
    used = [compare(expected, dropout(X, seed)).budget_used for seed in range(200)]
    assert max(share for share in used if share is not None) < 0.6 and None not in used


@pytest.mark.parametrize(
    "wrong",
    [
        dropout(X, 1, rate=0.27),
        torch.where(dropout(X, 1) != 0, X, 0.0),  # not scaled
        dropout(X[:1], 1).expand(64, 500) / X[:1] * X,  # the same columns in every row
        X / 0.7 * (torch.arange(500) % 10 >= 3),  # in turn
        torch.zeros_like(X),
        dropout(X, 1).masked_fill(dropout(X, 1) == 0, torch.nan),
    ],
)
def test_what_is_no_dropout_is_refused(wrong: torch.Tensor) -> None:
    assert not compare(of(Law.DROPOUT, 0.3, X), wrong).ok


def test_two_calls_must_draw_anew() -> None:
    draws = Draws(Law.DROPOUT, 0.3, X.double(), torch.float32)
    first, again, other = (draws.binary_draws(dropout(X, seed))[0] for seed in (1, 1, 2))
    assert repeated(first, again).share > 10 and repeated(first, other).share < 0.6


def test_bernoulli_follows_each_elements_own_chance() -> None:
    expected = of(Law.BERNOULLI, 0.0, P)
    random = torch.from_numpy(np.random.default_rng(3).random(P.shape))
    assert compare(expected, (random < P).float()).ok
    assert not compare(expected, (random < P.mean()).float()).ok  # right in the mean alone
    assert not compare(expected, (random < P).float() * 2).ok


def test_normal_noise_is_told_from_other_noise() -> None:
    expected = of(Law.NORMAL, 0.5, X)
    random = np.random.default_rng(4)
    honest = torch.from_numpy(random.standard_normal(X.shape)).float()
    assert compare(expected, X + 0.5 * honest).ok
    even = torch.from_numpy(random.uniform(-1, 1, X.shape)).float() * 3**0.5
    for wrong in (even, 1.1 * honest, honest + 0.1, honest.abs(), honest[:1].expand(64, 500)):
        assert not compare(expected, X + 0.5 * wrong).ok


def test_uniform_draws_are_those_of_the_unit_interval_whatever_the_input() -> None:
    random = np.random.default_rng(5)
    for x in (torch.zeros(64, 500), torch.full((64, 500), torch.nan), X):
        expected = of(Law.UNIFORM, 0.0, x)
        used = [
            compare(expected, torch.from_numpy(random.random(x.shape, np.float32))).budget_used
            for _ in range(20)
        ]
        assert None not in used and max(share for share in used if share is not None) < 0.6


@pytest.mark.parametrize(
    "wrong",
    [
        P * 0.99,
        P * 2 - 1,
        P.square(),
        P.clamp(0.01, 0.99),
        torch.where(P.max() == P, 1.0, P),
        (P * 256).floor() / 256,  # few values
        torch.arange(32000).view(64, 500) / 32000,  # no draws
        P[:32].repeat(2, 1),
        torch.full_like(P, 0.5),
        torch.full_like(P, torch.nan),
    ],
)
def test_what_is_not_uniform_is_refused(wrong: torch.Tensor) -> None:
    assert compare(of(Law.UNIFORM, 0.0, X), P).ok
    assert not compare(of(Law.UNIFORM, 0.0, X), wrong).ok


@pytest.mark.parametrize("power", [-32, 0, 13, 16, 20, 24, 32])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_noise_may_be_lost_in_the_rounding_of_large_numbers(power: int, dtype: torch.dtype) -> None:
    x = (X * 2.0**power).to(dtype)
    noise = torch.from_numpy(np.random.default_rng(3).standard_normal(X.shape))
    expected = of(Law.NORMAL, 0.5, x)
    used = compare(expected, (x.double() + 0.5 * noise).to(dtype)).budget_used
    assert used is not None and used < 0.5
    assert not compare(expected, x * 1.5 + 8.0).ok
    assert power > 13 or dtype is not torch.float32 or not compare(expected, x.clone()).ok


def _noise(rows: int, cols: int, seed: int) -> torch.Tensor:
    return torch.randn(rows, cols, generator=torch.Generator().manual_seed(seed))


def _worst(draws: Draws, actual: torch.Tensor) -> Finding:
    return max(draws.findings(actual), key=lambda finding: finding.share)


def test_a_mask_that_repeats_at_an_odd_distance_is_found() -> None:
    draws = Draws(Law.DROPOUT, 0.5, torch.ones(64, 1000, dtype=torch.float64), torch.float32)
    kept = (torch.rand(19661, generator=torch.Generator().manual_seed(1)) < 0.5).repeat(4)[:64000]
    found = draws.findings(kept.view(64, 1000) * 2.0)
    (repeated,) = [finding for finding in found if finding.name == "repetition"]
    assert "19661" in repeated.text and repeated.share > 1.0


def test_few_levels_and_signs_on_kept_sizes_are_no_normal_draws() -> None:
    operand = _noise(256, 256, 1).double()
    draws = Draws(Law.NORMAL, 1.0, operand, torch.float32)
    noise = _noise(256, 256, 2)
    assert _worst(draws, (operand + noise).float()).share < 1.0
    levels = torch.special.ndtri((torch.special.ndtr(noise) * 512).floor().add(0.5) / 512)
    assert _worst(draws, (operand + levels).float()).name == "values"
    sizes, signs = noise.abs(), (_noise(256, 256, 3).sign(), _noise(256, 256, 4).sign())
    one, other = (draws.drawn((operand + sizes * sign).float()).views for sign in signs)
    assert max(repeated_view(a, b).share for a, b in zip(one, other, strict=True)) > 1.0


def test_a_mask_of_a_pool_is_found_wherever_the_next_call_begins_in_it() -> None:
    draws = Draws(Law.DROPOUT, 0.5, torch.ones(50000, dtype=torch.float64), torch.float32)
    pool = torch.rand(60000, generator=torch.Generator().manual_seed(1)) < 0.5
    one, other = (draws.drawn(pool[at : at + 50000] * 2.0).views[0] for at in (0, 7001))
    assert repeated_view(one, other).share > 1.0
    fresh = torch.rand(50000, generator=torch.Generator().manual_seed(2)) < 0.5
    assert repeated_view(one, draws.drawn(fresh * 2.0).views[0]).share < 1.0


def test_false_alarms_of_the_correlation_are_rarer_than_its_bound_says() -> None:
    """At a limit of one in a hundred, of 300 honest sequences far fewer are suspected."""
    generator, alarms = torch.Generator().manual_seed(5), 0
    for _ in range(300):
        view = (torch.rand(2000, generator=generator) < 0.3).double() - 0.3
        alarms += correlated(DrawView(view), None, log(2.0 / 0.01))[0] > 1.0
    assert alarms <= 3


def test_sums_of_uniform_numbers_have_no_tails() -> None:
    operand = torch.zeros(64, 1000, dtype=torch.float64)
    draws = Draws(Law.NORMAL, 0.5, operand, torch.float32)
    generator = torch.Generator().manual_seed(7)
    four = torch.rand(4, 64, 1000, generator=generator).sum(0).sub(2.0) * 3**0.5
    assert _worst(draws, 0.5 * four).name == "tails" and _worst(draws, 0.5 * four).share > 1.0
    for seed in range(20):
        honest = (0.5 * _noise(64, 1000, seed)).float()
        assert max(f.share for f in draws.findings(honest) if f.name == "tails") < 0.6


def test_honest_noise_on_large_numbers_has_the_tails_that_rounding_leaves() -> None:
    for power in (0, 4, 8, 12):
        operand = _noise(64, 1000, 1).double() * 2.0**power
        draws = Draws(Law.NORMAL, 0.5, operand, torch.float32)
        for seed in range(5):
            noise = 0.5 * _noise(64, 1000, 10 + seed).double()
            found = draws.findings((operand.float().double() + noise).float())
            assert max(f.share for f in found if f.name == "tails") < 0.6


def test_one_chance_for_all_is_judged_as_a_chance_for_each() -> None:
    draws = Draws(Law.DROPOUT, 0.3, X.double(), torch.float32)
    one, other = (draws.drawn(dropout(X, seed)).binary for seed in (1, 2))
    by_element = [replace(binary, even=None) for binary in (one, other)]
    assert isclose(repeated(one, other).share, repeated(*by_element).share, rel_tol=1e-9)
    for distance in (1, 2, 500):
        halves = [repeated(*binary.halves(distance)) for binary in (one, by_element[0])]
        assert isclose(halves[0].share, halves[1].share, rel_tol=1e-9, abs_tol=1e-12)
        assert halves[0].text == halves[1].text


def test_a_transform_that_is_kept_is_that_of_the_size_asked_for() -> None:
    long, short = (DrawView(_noise(1, n, n).double().clamp(-1, 1)[0]) for n in (5000, 1000))
    alone = correlated(long, None, 30.0)
    assert correlated(long, short, 30.0) == correlated(long, DrawView(short.values), 30.0)
    assert correlated(short, None, 30.0) == correlated(DrawView(short.values), None, 30.0)
    assert correlated(long, None, 30.0) == alone
