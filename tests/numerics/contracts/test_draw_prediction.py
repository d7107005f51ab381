"""What is known before a draw must not tell it: neither operand, nor place, nor earlier calls."""

from __future__ import annotations

import torch

from assay.data.contract import Law
from assay.numerics.contracts.draw_prediction import DrawPrediction
from assay.numerics.contracts.draws_of_calls import predicted
from assay.numerics.contracts.random_draws import Draws

ROWS, COLS, CALLS = 64, 500, 12
X = torch.randn(ROWS, COLS, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
LEAST = 1.0


def _uniform(seed: int) -> torch.Tensor:
    return torch.rand(ROWS, COLS, generator=torch.Generator().manual_seed(seed))


def _worst(law: Law, rate: float, calls: list[torch.Tensor]) -> dict[str, float]:
    draws, seen = Draws(law, rate, X, torch.float32), DrawPrediction()
    for actual in calls:
        seen.add(X, draws.centred(draws.drawn(actual))[0])
    return {finding.text: finding.share for finding in predicted(seen)}


def _dropped(seed: int, rate: torch.Tensor | float = 0.3) -> torch.Tensor:
    return torch.where(_uniform(seed) >= rate, X / 0.7, 0.0).float()


def test_independent_draws_are_told_by_nothing() -> None:
    for turn in range(3):
        dropouts = [_dropped(100 * turn + seed) for seed in range(CALLS)]
        assert max(_worst(Law.DROPOUT, 0.3, dropouts).values()) < 0.5
        noise = [torch.special.ndtri(_uniform(100 * turn + seed).double()) for seed in range(CALLS)]
        noisy = [(X + 0.5 * one.clamp(-5, 5)).float() for one in noise]
        assert max(_worst(Law.NORMAL, 0.5, noisy).values()) < 0.5


def test_a_rate_that_follows_the_operand_shows() -> None:
    large = 0.3 - 0.03 * (X.abs() > X.abs().median()).double() + 0.015
    found = _worst(Law.DROPOUT, 0.3, [_dropped(seed, large) for seed in range(CALLS)])
    assert found["a draw is told by the size of its operand"] > LEAST
    positive = 0.3 + 0.02 * X.sign()
    found = _worst(Law.DROPOUT, 0.3, [_dropped(seed, positive) for seed in range(CALLS)])
    assert found["a draw is told by the value of its operand"] > LEAST


def test_a_rate_that_follows_the_place_shows() -> None:
    columns = 0.3 + 0.06 * (torch.arange(COLS) % 2 * 2 - 1)
    found = _worst(Law.DROPOUT, 0.3, [_dropped(seed, columns) for seed in range(CALLS)])
    assert found["a draw is told by what came at its place in earlier calls"] > LEAST


def test_a_mask_that_comes_again_after_many_calls_shows() -> None:
    found = _worst(Law.DROPOUT, 0.3, [*map(_dropped, range(CALLS)), _dropped(0)])
    assert found["a draw is told by what came at its place in earlier calls"] > LEAST


def test_noise_that_leans_against_the_operand_shows() -> None:
    calls = []
    for seed in range(CALLS):
        place = _uniform(seed).double()
        leaning = torch.where(_uniform(500 + seed) < 0.05, place * (X < 0) + 0.5 * (X < 0), place)
        calls.append((X + 0.5 * torch.special.ndtri(leaning.clamp(1e-4, 1 - 1e-4))).float())
    assert max(_worst(Law.NORMAL, 0.5, calls).values()) > LEAST
