"""Which tasks do nothing but move elements."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from assay.data.settings import Level
from assay.exam.exam import ContentKey
from assay.exam.workloads.movement_tasks import (
    CopiesCount,
    copies_count,
    only_moves,
    places_anew,
)
from support.small_exam import STATELESS, make_exam

RETURNS = "return x.sum(dim=-1)"


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        ("return x.t().contiguous()", True),
        ("return torch.cat([x, x.flip(-1)], dim=-1)", True),
        ("return x.roll(1, dims=-1)", True),
        ("return x.repeat_interleave(2, dim=-1)", True),
        ('return torch.nn.functional.pad(x, (1, 1), mode="replicate")', True),
        ("return x.tril()", False),
        (RETURNS, False),
        ("return torch.cat([x, x.relu()], dim=-1)", False),
        ("return x.transpose(0, 1)", False),
        ("return x.to(torch.float16).contiguous()", False),
    ],
)
def test_copies_alone_are_movement(body: str, moves: bool) -> None:
    assert RETURNS in STATELESS.source
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    exam = make_exam(Level.QUICK, task)
    assert only_moves(exam) is moves


@pytest.mark.parametrize(
    ("body", "plain"),
    [("return x.t().contiguous()", True), ("return x.t().clone()", False), (RETURNS, False)],
)
def test_a_copy_that_keeps_another_order_need_not_be_plain(body: str, plain: bool) -> None:
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    assert places_anew(make_exam(Level.QUICK, task)) is plain


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("return x.tril()", CopiesCount.ALONE),
        ("return x.clone().masked_fill(x > 0, 1.0)", CopiesCount.NEVER),
        ("return x.t().contiguous()", CopiesCount.ALWAYS),
        (RETURNS, CopiesCount.NEVER),
    ],
)
def test_copies_count_beside_fills_at_the_own_shape_alone(body: str, counts: CopiesCount) -> None:
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    exam = make_exam(Level.QUICK, task)
    own = exam.content(ContentKey(0))
    assert copies_count(exam, own, own_shape=True) is counts
    elsewhere = CopiesCount.NEVER if counts is CopiesCount.ALONE else counts
    assert copies_count(exam, own, own_shape=False) is elsewhere


def test_a_kernel_may_copy_inputs_that_lie_otherwise_than_the_own_ones() -> None:
    body = "return x.t().contiguous()"
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    exam = make_exam(Level.QUICK, task)
    own = exam.content(ContentKey(0))
    turned = replace(own, inputs=(torch.randn(5, 3).t(),))
    assert copies_count(exam, turned, own_shape=False) is CopiesCount.NEVER


def test_a_reference_that_updates_its_input_leaves_the_content_alone() -> None:
    body = "return x.relu_().clone()"
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    exam = make_exam(Level.QUICK, task)
    before = exam.content(ContentKey(0)).inputs[0].clone()
    only_moves(exam)
    assert torch.equal(exam.content(ContentKey(0)).inputs[0], before)
