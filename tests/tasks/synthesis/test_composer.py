"""Compositions repeat themselves by seed, and never each other."""

from __future__ import annotations

from itertools import islice

import pytest

from assay.tasks.synthesis.chain_operators import POINTWISE, REDUCTIONS, ROW_MAPS
from assay.tasks.synthesis.composer import Head, compositions
from assay.tasks.synthesis.composition import Composition
from assay.tasks.synthesis.sampled_rows import SampledRows, usable


@pytest.fixture(scope="module")
def first() -> list[Composition]:
    return list(islice(compositions(0), 120))


def test_the_same_seed_makes_the_same_and_another_seed_others(first: list[Composition]) -> None:
    assert list(islice(compositions(0), 12)) == first[:12]
    assert [one.chain for one in islice(compositions(1), 12)] != [one.chain for one in first[:12]]


def test_none_is_there_twice_and_none_is_a_single_operator(first: list[Composition]) -> None:
    assert len({one.chain for one in first}) == len({one.name for one in first}) == len(first)
    assert min(len(one.steps) for one in first) >= 2
    assert [one.number for one in first] == list(range(1, len(first) + 1))


def test_dtypes_products_and_reductions_all_occur(first: list[Composition]) -> None:
    assert {one.dtype for one in first} == {"float32", "float16", "bfloat16"}
    used = {name for one in first for name in one.natives}
    assert {Head.MATMUL.value, Head.BMM.value, Head.LINEAR.value} <= used
    assert used & {step.native for step in REDUCTIONS} and used & {s.native for s in ROW_MAPS}
    assert {len(one.sizes) for one in first} >= {2, 3, 4}


def test_steps_that_change_nothing_or_saturate_are_refused() -> None:
    by_name = {step.native: step for step in (*POINTWISE, *REDUCTIONS, *ROW_MAPS)}
    positive = SampledRows.drawn(0).pointwise(by_name["softplus"])
    assert positive is not None and positive.pointwise(by_name["relu"]) is None
    whole = SampledRows.drawn(0).mapped(by_name["softmax"])
    assert whole is not None and whole.reduced(by_name["row_sum"]) is None
    assert not usable([[1.0, 1.0 + 1e-6]] * 8) and not usable([[0.0, float("inf")]])
    assert not usable([[0.0] * 30 + [1.0, 2.0]])
