"""Truth, masks and reliefs of an expectation."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from assay.numerics.expectation import ExpectationRequest, PlantedElement, compare, expect
from support.references import Reference, expected, normal


def test_inputs_and_state_are_never_touched() -> None:
    x, w = normal(8, 8), normal(8, 8, seed=1)
    kept = x.clone(), w.clone()
    expect(Reference(lambda a, weight: a @ weight), [x], {"weight": w}, ExpectationRequest(seed=1))
    assert torch.equal(x, kept[0]) and torch.equal(w, kept[1])


def test_weights_count_in_the_sensitivity() -> None:
    x, w = torch.ones(4, 4), normal(4, 4, seed=1)
    function = Reference(lambda a, weight: a @ weight)
    given = expect(function, [x], {"weight": w}, ExpectationRequest(seed=1))[0]
    assert given.budget is not None and bool((given.budget > 1e-7 * given.truth.abs()).all())


def test_evaluations_are_one_plus_one_plus_probes() -> None:
    calls: list[bool] = []

    def counted(inputs: list[torch.Tensor], state: object, wide: bool) -> object:
        calls.append(wide)
        return Reference(torch.exp)(inputs, {}, wide)

    expect(counted, [normal(4, 4)], {}, ExpectationRequest(seed=1, probes=5))  # type: ignore[arg-type]
    assert calls.count(False) == 1 and calls.count(True) == 6


def test_the_same_seed_gives_the_same_budget() -> None:
    x = normal(16, 16)
    first, second = (expected(lambda a: a @ a, x, seed=5) for _ in range(2))
    assert first.budget is not None and second.budget is not None
    assert torch.equal(first.budget, second.budget)


def test_empty_output() -> None:
    expectation = expected(torch.exp, torch.empty(0, 7))
    summary = compare(expectation, torch.empty(0, 7))
    assert summary.ok and summary.total == 0 and summary.budget_used == 0.0


def test_scalar_output() -> None:
    expectation = expected(torch.sum, normal(100))
    assert compare(expectation, normal(100).sum()).ok
    assert compare(expectation, normal(100).sum() * 1.001).where == "[]"


def test_float64_task() -> None:
    a, b = normal(32, 32).double(), normal(32, 32, seed=1).double()
    expectation = expected(lambda x, y: x @ y, a, b)
    running = sum(a[:, k : k + 1] * b[k : k + 1] for k in range(32))
    assert isinstance(running, torch.Tensor) and compare(expectation, running).ok
    assert not compare(expectation, (a.float() @ b.float()).double()).ok


def test_complex_output() -> None:
    x = torch.complex(normal(16, 32), normal(16, 32, seed=1))
    expectation = expected(lambda z: torch.fft.fft(z), x)
    right = torch.fft.fft(x.to(torch.complex128)).to(torch.complex64)
    assert compare(expectation, right).ok
    assert not compare(expectation, right.conj()).ok
    assert compare(expectation, right.conj().resolve_conj()).where.count(",") == 1


def test_several_outputs_with_indices() -> None:
    x = normal(32, 64)
    values, indices = expect(
        Reference(lambda a: tuple(a.max(-1))), [x], {}, ExpectationRequest(seed=1)
    )
    assert compare(values, x.max(-1).values).ok and compare(indices, x.argmax(-1)).ok
    assert compare(indices, x.argmin(-1)).wrong == 32


def test_argmax_of_computed_values_has_relief_unless_exact() -> None:
    a = torch.ones(1, 64)
    b = normal(64, 4)
    b[:, 1] = b[:, 0].flip(0)  # equal sums but for the order of addition
    b[:, 2:] -= 10
    other = 1 - (a.double() @ b.double()).argmax(-1)
    assert compare(expected(lambda x, y: (x @ y).argmax(-1), a, b), other).ok
    assert not compare(expected(lambda x, y: (x @ y).argmax(-1), a, b, exact=True), other).ok
    assert not compare(expected(lambda x, y: (x @ y).argmax(-1), a, b), other + 2).ok


def test_rounding_operations_accept_both_sides_of_a_jump_and_nothing_between() -> None:
    x = normal(64, 64) * 4
    x[0, 0] = 2.5000002
    scale = torch.tensor(1.0)
    expectation = expected(lambda a, s: (a * s).round(), x, scale)
    right = x.round()
    for value, ok in ((2.0, True), (3.0, True), (0.0, False), (7.0, False)):
        actual = right.clone()
        actual[0, 0] = value
        assert compare(expectation, actual).ok is ok
    assert not compare(expectation, x.trunc()).ok
    assert not compare(expectation, right + 0.01).ok


def test_a_mask_beside_its_boundary_may_go_either_way() -> None:
    x, w, g = normal(8, 32), normal(32, 16, seed=1), normal(8, 16, seed=2)
    x[3, 5] -= float((x[3].double() @ w[:, 7].double()) / w[5, 7].double())  # x w is nearly zero
    tipped = (x.double() @ w.double())[3, 7]
    assert abs(float(tipped)) < 1e-5

    def gradient(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return (c * (a @ b > 0)) @ b.T

    expectation = expected(gradient, x, w, g)
    mask = (x @ w > 0).float()
    for state in (0.0, 1.0):
        mask[3, 7] = state
        assert compare(expectation, (g * mask) @ w.T).ok
    mask[3, 7], mask[2, 2] = 1.0, 1 - mask[2, 2]
    assert not compare(expectation, (g * mask) @ w.T).ok


def test_a_mask_that_reference_and_probes_tip_over_is_a_jump_in_a_smooth_sum() -> None:
    """The other terms of a sum move in every probe, so that none of them stands still."""

    def column_sums(x: Any, w: Any, b: Any, g: Any) -> Any:
        return (g * (x @ w.T + b > 0)).sum(0)

    jumps = 0
    for seed in range(12):
        draw = torch.Generator().manual_seed(seed)
        x, w = torch.randn(256, 512, generator=draw), torch.randn(128, 512, generator=draw) / 22
        b, g = torch.zeros(128), torch.randn(256, 128, generator=draw)
        b[3] -= (x.double() @ w.double().T + b.double())[5, 3].float()
        tipped = (x @ w.T + b > 0)[5, 3] != (x.double() @ w.double().T + b.double() > 0)[5, 3]
        if tipped and abs(g[5, 3]) > 0.5:
            jumps += 1
            expectation = expected(column_sums, x, w, b, g)
            assert expectation.in_domain and expectation.reference_error < 1e-5
            assert compare(expectation, column_sums(x, w, b, g)).ok
    assert jumps >= 2


def test_a_mask_that_the_rounding_of_the_reference_tips_over_is_a_jump() -> None:
    x = normal(64, 64)
    tipped = 0.9 * float(x.abs().max())

    def masked(a: torch.Tensor) -> torch.Tensor:
        made = a.clone()
        made[5, 7] = 0.0 if a.dtype is torch.float32 else tipped
        return made

    expectation = expected(masked, x)
    assert expectation.in_domain
    assert compare(expectation, masked(x)).ok
    assert compare(expectation, masked(x.double()).float()).ok
    half = masked(x)
    half[5, 7] = tipped / 2
    assert not compare(expectation, half).ok
    assert not expected(lambda a: a if a.dtype is torch.float64 else a * 1.1, x).in_domain


def test_finite_truth_where_the_reference_overflows() -> None:
    x = torch.tensor([1.0, 100.0, 2.0])
    expectation = expected(lambda a: (a.exp() + 1).log(), x)
    assert expectation.reference[1] == torch.inf
    assert compare(expectation, torch.nn.functional.softplus(x)).ok
    assert compare(expectation, expectation.reference).ok
    assert not compare(expectation, torch.tensor([torch.inf, 100.0, 2.1269281])).ok


def test_truth_beyond_the_dtype_is_infinite() -> None:
    x = torch.tensor([1.0, 89.0, -1.0])
    expectation = expected(torch.exp, x)
    assert compare(expectation, x.exp()).ok
    finite = x.exp()
    finite[1] = 3e38
    assert not compare(expectation, finite).ok


def test_non_finite_truth_asks_for_its_own_kind() -> None:
    x = torch.tensor([0.0, -1.0, 2.0])
    expectation = expected(torch.log, x)
    assert compare(expectation, x.log()).ok
    for bad in (torch.nan, 0.0, torch.inf):
        assert not compare(expectation, torch.tensor([bad, torch.nan, 0.6931472])).ok


def test_out_of_domain_is_told() -> None:
    x = torch.full((4, 64), 1e4) + normal(4, 64)  # squares are multiples of eight
    assert not expected(lambda a: (a * a).mean(-1) - a.mean(-1) ** 2, x).in_domain
    assert expected(lambda a: a.var(-1), normal(4, 64)).in_domain


def planted(x: torch.Tensor, element: int, value: float) -> torch.Tensor:
    changed = x.clone()
    changed.view(-1)[element] = value
    return changed


@pytest.mark.parametrize("layout", ["plain", "transposed"])
def test_nan_reaches_what_depends_on_it(layout: str) -> None:
    x = planted(normal(8, 16), 20, torch.nan)
    x = x.t().contiguous().t() if layout == "transposed" else x
    expectation = expected(lambda a: a.softmax(-1), x, planted=PlantedElement(0, 20))
    right = x.softmax(-1)
    assert expectation.must_be_nan is not None
    assert expectation.must_be_nan.sum() == 16
    assert compare(expectation, right).ok
    assert not compare(expectation, right.nan_to_num(0.0)).ok
    assert not compare(expectation, torch.full_like(right, torch.nan)).ok


def test_manufactured_nan_is_excused_and_so_is_the_right_value() -> None:
    diagonal, x = normal(6), planted(normal(6, 5, seed=1), 7, torch.nan)
    expectation = expected(
        lambda d, a: torch.diag(d) @ a, diagonal, x, planted=PlantedElement(1, 7)
    )
    dense = torch.diag(diagonal) @ x
    scaled = diagonal[:, None] * x
    assert int(dense.isnan().sum()) == 6 and int(scaled.isnan().sum()) == 1
    assert compare(expectation, dense).ok and compare(expectation, scaled).ok
    assert not compare(expectation, scaled.nan_to_num(0.0)).ok
    wrong = scaled.clone()
    wrong[0, 2] += 1.0  # an excused element may be NaN or right, nothing else
    assert not compare(expectation, wrong).ok


def test_nan_that_the_reference_swallows() -> None:
    x = planted(normal(4, 8), 3, torch.nan)
    expectation = expected(lambda a: a.nansum(-1), x, planted=PlantedElement(0, 3))
    assert compare(expectation, x.nansum(-1)).ok
    assert not compare(expectation, torch.zeros(4)).ok


def test_infinity_as_the_reference_or_as_the_limit() -> None:
    x = planted(normal(4, 8), 3, torch.inf)
    expectation = expected(lambda a: a.softmax(-1), x, planted=PlantedElement(0, 3))
    limit = x.clone()
    limit[0] = -torch.inf
    limit[0, 3] = 0.0
    assert x.softmax(-1)[0].isnan().all()
    assert compare(expectation, x.softmax(-1)).ok
    assert compare(expectation, limit.softmax(-1)).ok
    assert not compare(expectation, torch.full((4, 8), 0.125)).ok


def test_an_output_that_grows_with_the_infinity_may_be_infinite() -> None:
    x = planted(normal(4, 8), 3, torch.inf)
    moved = torch.arange(8) != 3

    def apart(a: torch.Tensor) -> torch.Tensor:  # inf - inf in the reference, 2 a / 8 in the limit
        return 3 * a.sum(-1, keepdim=True) / 8 - a.sum(-1, keepdim=True) / 8 + 0 * a

    expectation = expected(apart, x, planted=PlantedElement(0, 3))
    assert apart(x)[0].isnan().all()
    up = apart(planted(normal(4, 8), 3, 0.0))
    up[0, moved] = torch.inf
    up[0, 3] = torch.nan
    assert compare(expectation, up).ok
    down = up.clone()
    down[0, moved] = -torch.inf
    assert not compare(expectation, down).ok


def test_an_infinity_taken_from_an_infinity() -> None:
    x = planted(normal(4, 8), 3, torch.inf)
    expectation = expected(lambda a: a * (1 - 1e-4), x, planted=PlantedElement(0, 3))
    apart = x - x * 1e-4
    assert apart[0, 3].isnan() and compare(expectation, apart).ok
    assert not compare(expectation, -expectation.reference).ok
    elsewhere = x * (1 - 1e-4)
    elsewhere[0, 4] = torch.nan
    assert not compare(expectation, elsewhere).ok


def test_minus_infinity_masks() -> None:
    x = planted(normal(4, 8), 3, -torch.inf)
    expectation = expected(lambda a: a.logsumexp(-1), x, planted=PlantedElement(0, 3))
    assert compare(expectation, x.logsumexp(-1)).ok
    assert not compare(expectation, torch.full((4,), torch.nan)).ok


def test_an_index_goes_to_a_nan_and_other_rows_do_not() -> None:
    x = planted(normal(4, 8), 3, torch.nan)
    expectation = expected(lambda a: a.argmax(-1), x, planted=PlantedElement(0, 3))
    right = x.argmax(-1)
    assert int(right[0]) == 3 and compare(expectation, right).ok
    assert not compare(expectation, right + torch.tensor([1, 0, 0, 0])).ok
    assert not compare(expectation, right + torch.tensor([0, 1, 0, 0])).ok


def test_rounded_codes_have_no_non_finite_contract() -> None:
    x = planted(4 * normal(4, 8), 3, torch.nan)
    expectation = expected(lambda a: a.round().to(torch.int32), x, planted=PlantedElement(0, 3))
    codes = x.nan_to_num(5.0).round().to(torch.int32)
    assert compare(expectation, codes).ok


def test_relief_is_withheld_only_where_nothing_is_rounded() -> None:
    def gated(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        sums = (x * w).sum(-1)
        return torch.where(sums > 0.0, sums + 5.0, 0.0 * sums)

    grid, weights = torch.ones(64, 3), normal(64, 3)
    weights[7] = torch.tensor([1.0, -1.0 + 2.0**-24, -(2.0**-25)])  # positive by half a rounding
    right = gated(grid, weights)
    tipped = right.clone()
    tipped[7] = 0.0
    expectation = expected(gated, grid, weights, exact=True)
    assert compare(expectation, right).ok
    assert compare(expectation, tipped).ok
    tipped[8] = 0.0 if right[8] else 5.0
    assert not compare(expectation, tipped).ok


def test_inf_minus_inf_is_right_where_masked_rows_make_the_truth_infinite() -> None:
    masked = normal(4, 8)
    masked[:, :3] = -torch.inf
    request = ExpectationRequest(seed=1, masked=True)
    (given,) = expect(Reference(lambda a: a * 0.5), [masked], {}, request)
    assert compare(given, masked - 0.5 * masked).ok  # NaN where the truth is minus infinity
    assert not compare(given, torch.full((4, 8), torch.nan)).ok
    (plain,) = expect(Reference(lambda a: a * 0.5), [masked], {}, ExpectationRequest(seed=1))
    assert not compare(plain, masked - 0.5 * masked).ok
