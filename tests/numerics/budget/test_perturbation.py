"""Perturbations: how far, which way, and never out of the interval of the values."""

from __future__ import annotations

import pytest
import torch

from assay.numerics.budget.perturbation import Perturbation, origins
from support.references import normal

AMPLITUDE = 2.0**-10


@pytest.mark.parametrize(
    "value", [normal(64, 33), normal(64, 33).t(), normal(7).to(torch.complex64)]
)
def test_origins_serve_every_perturbation_of_one_amplitude(value: torch.Tensor) -> None:
    kept = origins([value, {"deep": value}, 3], AMPLITUDE)
    for seed in (1, 2):
        for mirrored in (False, True):
            moved = Perturbation(seed, AMPLITUDE, mirrored)
            one, other = moved.of([value, {"deep": value}, 3]), moved.from_origins(kept)
            assert torch.equal(one[0], other[0]) and torch.equal(one[1]["deep"], other[1]["deep"])
            assert other[2] == 3
    assert not torch.equal(Perturbation(1, AMPLITUDE).from_origins(kept)[0], other[0])


def test_elements_are_moved_by_about_the_amplitude_and_zeros_stay() -> None:
    value = normal(4096)
    value[::7] = 0.0
    moved = Perturbation(3, AMPLITUDE).of(value)
    there = value != 0.0
    steps = (moved[there] / value[there].double() - 1.0) / AMPLITUDE
    assert steps.abs().max() < 1.5 and steps.square().mean().sqrt() == pytest.approx(1.0, rel=0.05)
    assert bool((moved[~there] == 0.0).all())


def test_a_zero_keeps_its_sign() -> None:
    value = normal(64)
    value[::4], value[1::4] = 0.0, -0.0
    for seed in range(3):
        for moved in (Perturbation(seed, AMPLITUDE).of(value), value):
            assert not bool(moved[::4].signbit().any()) and bool(moved[1::4].signbit().all())


@pytest.mark.parametrize("amplitude", [2.0**-50, AMPLITUDE, 0.25])
def test_no_value_leaves_the_interval(amplitude: float) -> None:
    shares = normal(4096).sigmoid()
    shares[:100], shares[100:200] = 1.0, 0.125
    shares.clamp_(0.125, 1.0)
    for seed in range(4):
        moved = Perturbation(seed, amplitude).of(shares)
        assert moved.min() >= 0.125 and moved.max() <= 1.0
        assert bool((moved[:200] != shares[:200]).all())


def test_what_does_not_vary_may_leave_and_integers_stay() -> None:
    ones, codes = torch.ones(64), torch.arange(5)
    moved = Perturbation(1, AMPLITUDE).of((ones, codes))
    assert bool((moved[0] > 1.0).any()) and moved[1] is codes
