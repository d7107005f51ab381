"""Whether an answer belongs to another call."""

from __future__ import annotations

import torch

from assay.numerics.matching import is_informative, same_answer
from assay.numerics.output_expectation import PlantedElement
from support.references import expected, normal


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


def test_what_fits_by_chance_is_not_telling() -> None:
    few = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
    assert not is_informative(expected(lambda a: a.argmax(-1), few))
    assert is_informative(expected(lambda a: a.argmax(-1), normal(64, 64)))
    assert is_informative(expected(torch.exp, normal(2)))
    assert not is_informative(expected(torch.zeros_like, normal(64, 64)))


def test_nan_and_what_is_not_asked_are_not_telling() -> None:
    beside = normal(4, 64)
    beside[0, 3], beside[0, 5] = torch.nan, torch.inf
    one_row = expected(lambda a: a.softmax(-1), beside[:1], planted=PlantedElement(0, 3))
    assert not is_informative(one_row)
    unasked = PlantedElement(0, 3, infinite=(5,))  # of the other rows nothing is asked
    assert not is_informative(expected(lambda a: a.softmax(-1), beside, planted=unasked))
    beside[0, 5] = 0.0
    assert is_informative(expected(lambda a: a.softmax(-1), beside, planted=PlantedElement(0, 3)))


def test_of_a_complex_number_neither_part_is_asked_where_one_is_not() -> None:
    beside = normal(4, 64)
    beside[0, 3] = torch.nan
    planted = PlantedElement(0, 3)
    assert is_informative(expected(torch.fft.fft, beside, planted=planted))
    assert not is_informative(expected(torch.fft.fft, beside[:1], planted=planted))
