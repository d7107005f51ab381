"""What an error summary says."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from assay.errors import HostError
from assay.numerics.comparison import compare
from assay.numerics.output_expectation import Relief
from support.references import expected, normal


def test_the_worst_element_is_named() -> None:
    x = normal(8, 32)
    actual = x.exp()
    actual[3, 17] += 1.0
    summary = compare(expected(torch.exp, x), actual)
    assert summary.where == "[3, 17]" and summary.wrong == 1 and summary.total == 256
    assert summary.budget_used is not None and summary.budget_used > 1e4
    assert summary.text.startswith("got ") and "+-" in summary.text


def test_nan_where_a_number_is_expected_has_no_share() -> None:
    x = normal(8, 32)
    actual = x.exp()
    actual[2, 5] = torch.nan
    summary = compare(expected(torch.exp, x), actual)
    assert summary.budget_used is None and summary.where == "[2, 5]" and summary.wrong == 1


def test_p999_ignores_one_bad_element_of_many() -> None:
    x = normal(100, 100)
    actual = x.exp()
    actual[0, 0] += 1.0
    summary = compare(expected(torch.exp, x), actual)
    assert summary.p999 is not None and summary.p999 < 1.0 and not summary.ok


def test_integers_and_booleans_are_exact() -> None:
    x = torch.arange(12).reshape(3, 4)
    expectation = expected(lambda a: a * 2, x)
    assert compare(expectation, x * 2).ok
    off = x * 2
    off[1, 2] += 1
    summary = compare(expectation, off)
    assert summary.wrong == 1 and summary.where == "[1, 2]" and summary.budget_used is None
    flags = expected(lambda a: a > 5, x)
    assert compare(flags, x > 5).ok and not compare(flags, x > 6).ok


def test_a_strided_answer_is_read_in_its_own_order() -> None:
    x = normal(16, 24)
    assert compare(expected(torch.exp, x), x.exp().t().contiguous().t()).ok


def test_wrong_shape_is_our_mistake() -> None:
    with pytest.raises(HostError):
        compare(expected(torch.exp, normal(4)), torch.zeros(5))


def test_another_right_answer_is_rounded_at_its_own_size() -> None:
    """Beside a truth of 2^-15 it may be off by its own roundings, and no further."""
    plain = expected(torch.exp, normal(4))
    truth = torch.full((4,), 2.0**-15, dtype=torch.float64)
    budget = torch.full((4,), 2.0**-38, dtype=torch.float64)
    other = torch.full((1, 1), 2.0**-8, dtype=torch.float64)
    told = replace(plain, truth=truth, budget=budget, relief=Relief(torch.tensor([2]), other, n=1))
    answer = truth.float()
    answer[2] = 2.0**-8 * (1 + 2.0**-23)
    assert compare(told, answer).ok
    answer[2] = 2.0**-8 * (1 + 2.0**-17)
    assert compare(told, answer).wrong == 1
    answer[2] = 2.0**-15 * (1 + 2.0**-17)  # the truth itself is not forgiven more for it
    assert compare(told, answer).wrong == 1


def test_what_the_dtype_cannot_hold_is_no_question() -> None:
    x = torch.full((4, 8), 1e30)
    x[0, 0] = 1e14
    truth = expected(lambda v: v * v * 1e-3, x)  # 1e57 in the wide truth, inf in float32
    for answer in (torch.inf, torch.nan, 3e38):
        actual = torch.full((4, 8), answer)
        actual[0, 0] = 1e25
        assert compare(truth, actual).ok
    actual[0, 0] = 2e25
    assert not compare(truth, actual).ok


def test_a_pole_stays_a_question() -> None:
    x = torch.ones(4, 8)
    x[1, 2] = 0.0
    assert compare(expected(torch.log, x), x.log()).ok
    wrong = x.log()
    wrong[1, 2] = torch.nan
    assert not compare(expected(torch.log, x), wrong).ok
