"""Which integers an input may hold: promises of its generator, trials of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from assay.tasks.values.integer_domains import (
    Dimension,
    IntegerDomain,
    IntegerForm,
    find_domains,
    form_of,
)
from assay.tasks.values.integer_draws import Extent, IntegerRequest, redraw_integers


def _two(seed: int, make: Any) -> tuple[Any, Any]:
    torch.manual_seed(seed)
    return make(), make()


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (lambda: torch.full((8,), 64), IntegerForm.CONSTANT),
        (lambda: torch.arange(0, 60, 10), IntegerForm.SORTED),
        (lambda: torch.arange(4).repeat_interleave(5), IntegerForm.SORTED),
        (lambda: torch.arange(12), IntegerForm.DISTINCT),
        (lambda: torch.randperm(12), IntegerForm.DISTINCT),
        (lambda: torch.randint(0, 9, (40,)), IntegerForm.RANGE),
        (lambda: torch.ones(4, 8), IntegerForm.MASK),
        (lambda: torch.rand(4, 8) < 0.5, IntegerForm.MASK),
        (lambda: torch.arange(8) < torch.randint(1, 9, (64, 1)), IntegerForm.PREFIX_MASK),
        (lambda: torch.ones(8, 8).tril().bool(), None),
        (lambda: torch.randn(40), None),
        (lambda: 7, None),
    ],
)
def test_two_draws_show_the_form(make: Any, form: IntegerForm | None) -> None:
    assert form_of(*_two(3, make)) is form


def _found(own: list[Any], answers: Any) -> dict[int, IntegerDomain]:
    return find_domains((own, own), {"table": torch.zeros(500, 3)}, answers)


def test_a_constant_goes_down_as_far_as_the_reference_answers() -> None:
    own = [torch.randn(8, 64), torch.full((8,), 64)]
    assert _found(own, lambda _: True)[1].low == 0
    assert _found(own, lambda inputs: bool((inputs[1] > 0).all()))[1].low == 1
    assert _found(own, lambda inputs: bool((inputs[1] == 64).all())) == {}


def test_an_index_goes_up_to_the_size_beyond_which_the_reference_raises() -> None:
    own = [torch.randint(0, 20, (40,))]
    within = lambda inputs: int(inputs[0].max()) < 500  # noqa: E731
    assert _found(own, within)[0].beyond == Dimension("table", 0)
    assert _found(own, lambda _: True)[0].beyond is None


def test_boundaries_with_a_longest_step_stay_as_they_are() -> None:
    ends = torch.arange(0, 81, 10)
    assert _found([ends], lambda _: True)[0].form is IntegerForm.SORTED
    assert _found([ends, 10], lambda _: True) == {}
    assert _found([ends, torch.tensor(10)], lambda _: True) == {}


def _drawn(own: Sequence[Any], domains: dict[int, IntegerDomain], extent: Extent) -> list[Any]:
    sizes = {"table": (500, 3)}
    generator = torch.Generator().manual_seed(4)
    return redraw_integers(IntegerRequest(own, sizes, generator, extent), domains)


def test_both_ends_of_a_range_are_in_every_draw() -> None:
    own = [torch.randint(3, 20, (40,), dtype=torch.int32)]
    domain = {0: IntegerDomain(IntegerForm.RANGE, low=0, beyond=Dimension("table", 0))}
    (mixed,) = _drawn(own, domain, Extent.MIXED)
    assert mixed.dtype is torch.int32 and mixed.min() == 0 and mixed.max() == 499
    assert (_drawn(own, domain, Extent.HIGHEST)[0] == 499).all()
    assert (_drawn(own, domain, Extent.LOWEST)[0] == 0).all()
    absent = {0: IntegerDomain(IntegerForm.RANGE, beyond=Dimension("layers.3", 0))}
    assert _drawn(own, absent, Extent.HIGHEST)[0].max() == own[0].max()


@pytest.mark.parametrize("repeats", [True, False])
def test_sorted_stays_sorted_between_its_ends(repeats: bool) -> None:
    own = torch.arange(0, 200, 10)
    (made,) = _drawn([own], {0: IntegerDomain(IntegerForm.SORTED, repeats=repeats)}, Extent.MIXED)
    steps = made.diff()
    assert made[0] == 0 and made[-1] == 190 and not torch.equal(made, own)
    assert (steps >= (0 if repeats else 1)).all() and len(steps.unique()) > 2


def test_distinct_stays_distinct_also_in_a_larger_range() -> None:
    own = torch.arange(24).view(6, 4)
    (same,) = _drawn([own], {0: IntegerDomain(IntegerForm.DISTINCT)}, Extent.MIXED)
    assert torch.equal(same.sort(-1).values, own) and not torch.equal(same, own)
    larger = IntegerDomain(IntegerForm.DISTINCT, beyond=Dimension("table", 0))
    (made,) = _drawn([own], {0: larger}, Extent.MIXED)
    assert len(made.unique()) == 24 and made.max() == 499


@pytest.mark.parametrize("extent", list(Extent))
def test_ends_stay_behind_their_starts(extent: Extent) -> None:
    starts = torch.randint(0, 50, (32,))
    own = [starts, starts + torch.randint(1, 40, (32,))]
    domains = {i: IntegerDomain(IntegerForm.RANGE) for i in range(2)}
    made = _drawn(own, domains, extent)
    assert (made[0] < made[1]).all() and made[0].min() >= own[0].min()


def test_masks_open_close_and_keep_their_prefixes() -> None:
    own = [torch.arange(8) < torch.randint(1, 9, (32, 1))]
    domains = {0: IntegerDomain(IntegerForm.PREFIX_MASK)}
    (mixed,) = _drawn(own, domains, Extent.MIXED)
    assert (mixed.int().diff(dim=-1) <= 0).all() and mixed[:, 0].all() and not mixed.all()
    assert not _drawn(own, domains, Extent.WHOLE_ROWS)[0][0].any()
    for form in (IntegerForm.MASK, IntegerForm.PREFIX_MASK):
        assert _drawn(own, {0: IntegerDomain(form)}, Extent.HIGHEST)[0].all()
        assert not _drawn(own, {0: IntegerDomain(form)}, Extent.LOWEST)[0].any()
