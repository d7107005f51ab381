"""Whether an answer belongs to another call."""

from __future__ import annotations

import torch

from assay.measure.matching import same_answer
from measure.references import expected, normal


def test_own_answer_and_others() -> None:
    x, y = normal(64, 64), normal(64, 64, seed=1)
    expectation = expected(lambda a: a.softmax(-1), x)
    assert same_answer(expectation, x.softmax(-1))
    assert not same_answer(expectation, y.softmax(-1))
    assert not same_answer(expectation, x.softmax(-1)[:32])
    assert not same_answer(expectation, x.softmax(-1).double())


def test_one_changed_element_beyond_the_sample() -> None:
    x = normal(64, 64)
    actual = x.exp()
    actual[0, 1] += 1.0
    assert not same_answer(expected(torch.exp, x), actual)


def test_integers() -> None:
    x = torch.arange(1000)
    assert same_answer(expected(lambda a: a + 1, x), x + 1)
    assert not same_answer(expected(lambda a: a + 1, x), x)
