"""Answers that were compared before: the same bytes are known, whatever differs is compared."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
import torch

from assay.data.observations.call import ErrorSummary
from assay.numerics import comparison
from assay.numerics.comparison import compare
from assay.numerics.known_answers import KnownAnswers
from assay.numerics.output_expectation import OutputExpectation
from support.references import expected, normal


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """Every answer whose elements were compared."""
    found: list[torch.Tensor] = []
    real = comparison.element_shares

    def noted(expectation: OutputExpectation, actual: torch.Tensor) -> torch.Tensor:
        found.append(actual)
        return real(expectation, actual)

    monkeypatch.setattr(comparison, "element_shares", noted)
    return found


def test_the_same_bytes_are_compared_once(compared: list[torch.Tensor]) -> None:
    x = normal(256, 256)
    expectation = expected(torch.exp, x)
    first = compare(expectation, x.exp())
    assert first.ok and len(compared) == 1
    assert compare(expectation, x.exp()) == first and len(compared) == 1


def test_one_other_element_is_compared(compared: list[torch.Tensor]) -> None:
    x = normal(256, 256)
    expectation, actual = expected(torch.exp, x), x.exp()
    assert compare(expectation, actual).ok
    actual[255, 255] += 1.0  # the very tensor that was compared
    summary = compare(expectation, actual)
    assert summary.wrong == 1 and summary.where == "[255, 255]" and len(compared) == 2


def test_a_wrong_answer_is_compared_every_time(compared: list[torch.Tensor]) -> None:
    x = normal(256, 256)
    expectation, wrong = expected(torch.exp, x), x.exp() + 1.0
    assert compare(expectation, wrong).wrong == compare(expectation, wrong.clone()).wrong == 65536
    assert len(compared) == 2


def test_zeros_of_another_sign_are_compared(compared: list[torch.Tensor]) -> None:
    x = torch.zeros(256, 256)
    expectation = expected(torch.sin, x)
    assert compare(expectation, x).ok and compare(expectation, -x).ok
    assert len(compared) == 2


def test_two_answers_of_one_question_are_known(compared: list[torch.Tensor]) -> None:
    x = normal(256, 256)
    expectation, one = expected(torch.exp, x), x.exp()
    other = torch.nextafter(one, torch.full_like(one, torch.inf))
    for answer in (one, other, one, other):
        assert compare(expectation, answer.clone()).ok
    assert len(compared) == 2


def test_another_expectation_knows_nothing(compared: list[torch.Tensor]) -> None:
    x = normal(256, 256)
    expectation = expected(torch.exp, x)
    assert compare(expectation, x.exp()).ok
    assert expectation.budget is not None
    strict = replace(expectation, budget=expectation.budget * 1e-9)
    assert not compare(strict, x.exp()).ok
    sent = pickle.loads(pickle.dumps(expectation))
    assert compare(sent, x.exp()).ok and len(compared) == 3


def test_little_ones_and_views_are_not_kept() -> None:
    known, summary = KnownAnswers(), ErrorSummary(budget_used=0.0, p999=0.0)
    known.note(torch.ones(256, 256), summary)
    assert known.summary(torch.ones(256, 256)) == summary
    for answer in (torch.ones(16), torch.ones(256, 256).t()[:, ::2]):
        known.note(answer, summary)
        assert known.summary(answer) is None
