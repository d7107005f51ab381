"""Codes beside a rounding boundary may go either way; exact ones and all others may not."""

from __future__ import annotations

import torch

from assay.numerics.budget.rounded_codes import Rounded
from assay.numerics.budget.rounding_alternatives import RoundedRuns, rounds_otherwise
from assay.numerics.expectation import ExpectationRequest, PlantedElement, compare, expect
from assay.tasks.values.half_codes import half_codes
from support.references import Reference, expected_all

REQUEST = ExpectationRequest(seed=3)


def quantised(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    scale = x.abs().amax(-1, keepdim=True) / 127
    codes = torch.round(x / scale).to(torch.int32)
    return (codes @ weight.to(torch.int32).T).to(x.dtype) * scale


def draw(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(64, 512, generator=generator)
    weight = torch.randint(-127, 128, (32, 512), generator=generator, dtype=torch.int8)
    return x, weight


def by_reciprocal(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """As honest as a division, and now and then one code away from it."""
    largest = x.abs().amax(-1, keepdim=True)
    codes = torch.round(x * (127 / largest)).to(torch.int32)
    return (codes @ weight.to(torch.int32).T).float() * (largest / 127)


def test_either_way_of_making_codes_is_right_and_no_codes_are_wrong() -> None:
    flipped = 0
    for seed in range(30):
        x, weight = draw(seed)
        (expected,) = expect(Reference(quantised), (x, weight), {}, REQUEST)
        other = by_reciprocal(x, weight)
        flipped += bool(((other - quantised(x, weight)).abs() > 1e-5 * other.abs().max()).any())
        assert compare(expected, other).ok
        assert not compare(expected, x @ weight.float().T).ok
    assert flipped > 0  # else nothing was shown


def test_a_code_far_from_its_boundary_may_not_move() -> None:
    x, weight = draw(5)
    (expected,) = expect(Reference(quantised), (x, weight), {}, REQUEST)
    scale = x.abs().amax(-1, keepdim=True) / 127
    codes = torch.round(x / scale)
    codes[7, 100] += 1
    moved = (codes.int() @ weight.int().T).float() * scale
    error = compare(expected, moved)
    assert not error.ok and error.wrong <= 32


def test_ties_on_exact_inputs_go_to_the_even_code() -> None:
    x, weight = draw(1)
    exact = half_codes(x, 127, torch.Generator().manual_seed(0))
    exact[exact.abs().amax(-1) == 0] = 127.0
    request = ExpectationRequest(seed=3, exact=True)
    (expected,) = expect(Reference(quantised), (exact, weight), {}, request)
    scale = exact.abs().amax(-1, keepdim=True) / 127
    away = torch.trunc(exact / scale + 0.5 * exact.sign()).int()
    assert compare(expected, quantised(exact, weight)).ok
    assert not compare(expected, (away @ weight.int().T).float() * scale).ok


def test_rounded_integers_keep_both_neighbours_only_near_the_boundary() -> None:
    x = torch.tensor([0.1, 0.2, 0.7, 1.3]) * 10
    nudged = torch.tensor([1.0, 2.0, 7.0, 13.0])
    floors = Reference(lambda v: torch.floor(v * 3.0 / 3.0).to(torch.int64))
    (expected,) = expect(floors, (x,), {}, REQUEST)
    assert compare(expected, torch.tensor([1, 2, 7, 13])).ok
    assert compare(expected, torch.tensor([0, 1, 6, 12])).ok
    assert not compare(expected, torch.tensor([1, 2, 7, 14])).ok
    (apart,) = expect(floors, (nudged + 0.4,), {}, REQUEST)
    assert not compare(apart, torch.tensor([0, 2, 7, 13])).ok


def test_beside_a_planted_infinity_open_codes_of_other_rows_stay_open() -> None:
    checked = 0
    for seed in range(30):
        x, weight = draw(seed)
        honest = by_reciprocal(x, weight)
        if not bool(((honest - quantised(x, weight)).abs() > 1e-5 * honest.abs().max()).any()):
            continue
        x[0, 3] = torch.inf
        request = ExpectationRequest(seed=3, planted=PlantedElement(0, 3))
        (expected,) = expect(Reference(quantised), (x, weight), {}, request)
        assert compare(expected, honest).ok  # what the row of the infinity holds is free
        checked += 1
    assert checked > 0


def normalised_sums(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Codes of running sums that float16 does not hold: an infinity, and then rows of NaN."""
    sums = torch.cumsum(x, -1)
    wide = sums.double() if x.dtype is torch.float64 else sums.float()
    scaled = torch.nn.functional.layer_norm(wide, (x.shape[-1],)).to(x.dtype) * 8
    codes = scaled.clamp(-100, 100).to(torch.int32)
    return codes, codes * 0.5, scaled.round()


def test_integers_of_sums_that_overflow_are_no_question() -> None:
    x = (10.0 * torch.rand(2, 20, generator=torch.Generator().manual_seed(1))).half()
    x[1] *= 1024
    wanted = expected_all(normalised_sums, x)
    own = normalised_sums(x)
    in_float64 = [t.to(o.dtype) for t, o in zip(normalised_sums(x.double()), own, strict=True)]
    assert bool(own[2][1].isnan().all())
    for answer in (own, in_float64):
        assert all(compare(e, a).ok for e, a in zip(wanted, answer, strict=True))
    for one, answer in zip(wanted, own, strict=True):
        other = answer.clone()
        other[0] += 3
        assert not compare(one, other).ok
        assert one.undefined is None or not bool(one.undefined[0].any())
    other = own[0].clone()
    other[1] = 7
    assert compare(wanted[0], other).ok
    assert not compare(wanted[2], other.half()).ok  # this one is no integer: NaN, or the truth


def test_codes_that_the_own_precision_puts_apart_are_right_as_it_has_them() -> None:
    """Beyond 2048 float16 has no odd numbers, beyond 4096 every fourth one only."""

    def codes(x: torch.Tensor) -> torch.Tensor:
        return (x.square() * 1.1).to(torch.int32)

    x = (40.0 + 60.0 * torch.rand(64, generator=torch.Generator().manual_seed(0))).half()
    own, wide = codes(x), codes(x.double())
    assert int((own - wide).abs().max()) > 1
    (wanted,) = expected_all(codes, x)
    assert compare(wanted, own).ok
    assert compare(wanted, wide).ok
    assert not compare(wanted, own + 16).ok
    assert not compare(wanted, wide - 16).ok


def test_one_code_that_the_own_precision_makes_otherwise_is_noticed() -> None:
    truth = Rounded("trunc", torch.tensor([9.97, 3.5]), torch.tensor([9, 3]), n=20)
    same = Rounded("trunc", torch.tensor([9.98, 3.4]), torch.tensor([9, 3]), n=20)
    other = Rounded("trunc", torch.tensor([10.0, 3.4]), torch.tensor([9, 3]), n=20)
    assert not rounds_otherwise([RoundedRuns(truth, same, (), 1.0)])
    assert rounds_otherwise([RoundedRuns(truth, same, (), 1.0), RoundedRuns(truth, other, (), 1.0)])
