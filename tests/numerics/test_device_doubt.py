"""The reference on the device excuses elements of special values, and nothing else does."""

from __future__ import annotations

import torch

from assay.numerics.comparison import compare
from assay.numerics.device_doubt import doubted
from assay.numerics.matching import is_informative
from assay.numerics.output_expectation import OutputExpectation, PlantedElement
from support.references import expected, normal


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def planted() -> tuple[OutputExpectation, torch.Tensor]:
    """A NaN at the first element, and the right answer."""
    given = normal(8, 8)
    given[0, 0] = torch.nan
    expectation = expected(doubled, given, planted=PlantedElement(0, 0))
    return expectation, doubled(given)


def on_device(
    expectation: OutputExpectation, answer: torch.Tensor, special: bool = True
) -> OutputExpectation:
    (found,) = doubted((expectation,), {expectation.name: answer}, special)
    return found


def test_an_element_that_the_device_loses_is_not_asked() -> None:
    expectation, right = planted()
    lost = right.clone()
    lost[0, 0] = -1.0
    assert not compare(expectation, lost).ok
    found = on_device(expectation, lost)
    assert compare(found, lost).ok
    assert compare(found, right).ok


def test_a_nan_that_the_device_spreads_is_not_asked() -> None:
    expectation, right = planted()
    spread = right.clone()
    spread[0] = torch.nan
    assert not compare(expectation, spread).ok
    assert compare(on_device(expectation, spread), spread).ok


def test_all_other_elements_are_asked() -> None:
    expectation, right = planted()
    lost = right.clone()
    lost[0, 0] = -1.0
    found = on_device(expectation, lost)
    for value in (torch.nan, 0.0):
        wrong = right.clone()
        wrong[3, 3] = value
        assert not compare(found, wrong).ok


def test_a_device_that_agrees_excuses_nothing() -> None:
    expectation, right = planted()
    found = on_device(expectation, right)
    lost = right.clone()
    lost[0, 0] = -1.0
    assert not compare(found, lost).ok


def test_of_ordinary_values_only_what_is_not_finite_is_excused() -> None:
    given = normal(8, 8)
    expectation, right = expected(doubled, given), doubled(given)
    overflown = right.clone()
    overflown[0, 0], overflown[1, 1] = torch.inf, 7.0
    found = on_device(expectation, overflown, special=False)
    assert not compare(found, overflown).ok  # the 7 is wrong, whoever says it
    strange = right.clone()
    strange[0, 0] = torch.nan
    assert compare(found, strange).ok
    assert compare(found, right).ok
    finite = right.clone()
    finite[0, 0] = 7.0
    assert not compare(found, finite).ok


def test_an_answer_of_another_form_says_nothing() -> None:
    expectation, right = planted()
    lost = right.clone()
    lost[0, 0] = -1.0
    assert not compare(on_device(expectation, lost.double()), lost).ok
    assert not compare(on_device(expectation, lost[:4]), lost).ok


def test_what_is_excused_marks_no_memo() -> None:
    expectation, right = planted()
    lost = right.clone()
    lost[0, 0] = -1.0
    assert is_informative(on_device(expectation, right))
    assert not is_informative(on_device(expectation, lost))
