"""Calls of a random operation, each held against all others."""

from __future__ import annotations

import torch

from assay.exam.repeated_draws import DrawnCalls
from assay.numerics.contracts.random_draws import Draws, Law

_RATE = 0.3


def _drawn(masks: list[int]) -> str:
    operand = torch.ones(64, 64, dtype=torch.float64)
    drawn = DrawnCalls(Draws(Law.DROPOUT, _RATE, operand, torch.float32))
    for seed in masks:
        kept = torch.rand(64, 64, generator=torch.Generator().manual_seed(seed)) >= _RATE
        drawn.add(torch.where(kept, 1.0 / (1.0 - _RATE), 0.0))
    return drawn.repetition()


def test_calls_that_draw_anew_are_not_alike() -> None:
    assert _drawn(list(range(120))) == ""


def test_a_mask_that_comes_again_much_later_is_found() -> None:
    assert _drawn([*range(100), 7]) == "call 101 of 101 draws what call 8 drew"
