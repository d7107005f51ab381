"""Rows that begin with minus infinity, and several NaN in one row."""

from __future__ import annotations

import torch

from assay.data.workload import Distribution
from assay.tasks.values.distributions import Values, redraw
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.special_rows import follows_mask

FREE = (Structure.FREE,)


def test_rows_begin_with_minus_infinity_and_end_finite() -> None:
    own = torch.randn(16, 40)
    drawn = redraw([own], Values(Distribution.MINUS_INF), 3, FREE)
    (made,) = drawn.inputs
    masked = made.isneginf()
    lengths = masked.sum(1)
    assert drawn.planted is None and int(lengths[0]) == 39
    assert 0 < int((lengths > 0).sum()) < 16
    assert torch.equal(masked, torch.arange(40) < lengths[:, None])
    assert torch.equal(made[~masked], own[~masked])


def test_one_row_is_minus_infinity_as_a_whole_where_that_is_asked_for() -> None:
    (made,) = redraw([torch.randn(16, 40)], Values(Distribution.MINUS_INF, 1), 3, FREE).inputs
    assert made.isneginf().all(1).nonzero().tolist() == [[15]]


def test_what_has_no_rows_stays_as_it_is() -> None:
    own = torch.randn(16, 1)
    (made,) = redraw([own], Values(Distribution.MINUS_INF), 3, FREE).inputs
    assert torch.equal(made, own)


def test_several_nan_of_one_row_are_noted() -> None:
    drawn = redraw([torch.randn(6, 40)], Values(Distribution.NANS), 3, FREE)
    (made,), planted = drawn.inputs, drawn.planted
    assert planted is not None
    spots = {planted.index, *planted.more}
    assert {tuple(spot) for spot in made.isnan().nonzero().tolist()} == spots
    assert len(planted.more) == len(set(planted.more)) and 45 <= len(spots) <= 47
    assert int(made.isnan().all(1).sum()) == 1
    inside = [spot for spot in spots if spot[0] == planted.index[0]]
    assert len(inside) == 5
    rows = {spot[0] for spot in spots}
    assert 3 <= len(rows) <= 4  # one that is full, and one or two with a single NaN


def test_answers_may_be_infinite_only_where_the_input_is() -> None:
    x = torch.tensor([[-torch.inf, 1.0, 2.0]])
    assert follows_mask([x], x.softmax(-1)) and follows_mask([x], x.log_softmax(-1))
    assert not follows_mask([x], x.cumsum(-1)) and not follows_mask([x], x.sum(-1))
    assert not follows_mask([x], -x) and not follows_mask([x], x * 0.0)
    assert follows_mask([x], x.argmax(-1))
    rows = torch.stack([x[0], torch.full((3,), -torch.inf)])
    assert follows_mask([rows], rows.logsumexp(-1)) and follows_mask([rows], rows.amax(-1, True))
    assert not follows_mask([rows], rows.sum(-1)) and not follows_mask([rows], rows.softmax(-1))
