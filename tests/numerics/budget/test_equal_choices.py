"""Which of equal elements a selection takes is nobody's promise; what it takes is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.numerics.budget.equal_choices import ChoiceWatch, other_choices
from assay.numerics.expectation import ExpectationRequest, PlantedElement, compare, expect
from support.references import Reference

TIED = torch.tensor([[3.0, 1.0, 3.0, 3.0, 0.0], [2.0, 1.0, 0.0, -1.0, -2.0]])


def routed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The two largest, and how often each column is among them."""
    values, places = x.topk(2, dim=-1)
    return values, torch.zeros_like(x).scatter(1, places, 1.0).sum(0)


@pytest.mark.parametrize(
    ("select", "most"),
    [
        (lambda x: x.topk(2), 3),
        (lambda x: x.topk(1), 3),
        (lambda x: x.topk(1, largest=False), 1),
        (lambda x: x.sort(descending=True), 3),
        (lambda x: x.argsort(), 3),
        (lambda x: x.t().topk(1, dim=0), 3),
        (lambda x: x.sort(stable=True), 1),
        (lambda x: x.argmax(-1), 1),
        (lambda x: x[:, 1:3].topk(2), 1),
    ],
)
def test_equals_that_a_selection_meets_are_counted(
    select: Callable[[torch.Tensor], object], most: int
) -> None:
    with ChoiceWatch() as watch:
        select(TIED)
    assert watch.most == most


def test_every_choice_selects_the_same_numbers_and_each_place_comes() -> None:
    x = torch.tensor([[torch.nan, 1.0, torch.nan, torch.nan], [5.0, 7.0, 7.0, 6.0]])
    found = other_choices(lambda: (x.topk(2, dim=-1).indices,), 3)
    for (places,) in found:
        same = x.gather(1, places).nan_to_num(9.0)
        assert torch.equal(same, torch.tensor([[9.0, 9.0], [7.0, 7.0]]))
        assert all(len(set(row)) == 2 for row in places.tolist())
    assert {place for (places,) in found for place in places[0].tolist()} == {0, 2, 3}


def test_one_element_has_no_other_choice() -> None:
    assert other_choices(lambda: (TIED,), 1) == []


@pytest.mark.parametrize("planted", [False, True])
def test_what_follows_from_a_choice_is_free_and_the_rest_is_not(planted: bool) -> None:
    x, at = TIED.clone(), None
    if planted:  # the other element of the same row stays below: two NaN are enough for two places
        x[0, :3] = torch.nan
        at = PlantedElement(0, 0, more=(1, 2))
    request = ExpectationRequest(seed=3, planted=at)
    values, load = expect(Reference(routed), (x,), {}, request)
    right = routed(x)[0]
    assert compare(values, right).ok
    assert not compare(values, torch.stack([right[0], right[1] + 1.0])).ok
    for chosen in ((0, 1), (1, 2)) if planted else ((0, 2), (2, 3)):
        count = torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0])  # of the second row
        count[list(chosen)] += 1.0
        assert compare(load, count).ok
    count[4] += 1.0  # never among the largest
    assert not compare(load, count).ok
