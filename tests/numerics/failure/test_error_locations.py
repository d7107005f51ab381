"""Where wrong elements lie, in words."""

from __future__ import annotations

import pytest
import torch

from assay.data.observations.explanation import PatternKind
from assay.numerics.failure.error_locations import error_locations


def mask(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.bool)


def test_a_tail_after_the_last_full_tile() -> None:
    wrong = mask(3, 130)
    wrong[:, 128:] = True
    found = error_locations(wrong)
    assert found.kind is PatternKind.TAIL
    assert found.text == "the last 2 of 130 along dimension 1, after the last full tile of 128"


def test_a_tail_that_no_tile_explains() -> None:
    wrong = mask(101)
    wrong[99:] = True
    assert error_locations(wrong).text == "the last 2 of 101 along dimension 0"


def test_the_end_of_the_whole_in_the_middle_of_a_row() -> None:
    wrong = mask(2, 40)
    wrong.view(-1)[24:] = True
    found = error_locations(wrong)
    assert found.kind is PatternKind.TAIL
    assert found.text == "the last 56 of 80 in memory order, after the last full tile of 8"


def test_rows_and_strides() -> None:
    rows = mask(6, 4)
    rows[[1, 4]] = True
    assert error_locations(rows).kind is PatternKind.SLICES
    assert error_locations(rows).text == "indices 1, 4 of 6 along dimension 0"
    strided = mask(2, 12)
    strided[:, 1::3] = True
    assert error_locations(strided).kind is PatternKind.STRIDE
    assert error_locations(strided).text == "one in 3 of 12 along dimension 1, from index 1"


def test_a_corner_is_named_by_both_dimensions() -> None:
    wrong = mask(20, 20)
    wrong[16:, 16:] = True
    text = error_locations(wrong).text
    assert "the last 4 of 20 along dimension 0" in text and "along dimension 1" in text


@pytest.mark.parametrize(("shape", "text"), [((2, 3), "all 6 elements"), ((), "the only element")])
def test_everywhere(shape: tuple[int, ...], text: str) -> None:
    found = error_locations(torch.ones(shape, dtype=torch.bool))
    assert (found.kind, found.text) == (PatternKind.EVERYWHERE, text)


def test_no_place_is_invented() -> None:
    wrong = torch.rand(16, 16, generator=torch.Generator().manual_seed(3)) < 0.4
    found = error_locations(wrong)
    assert found.kind is PatternKind.SCATTERED
    assert found.text == f"{int(wrong.sum())} of 256 elements, scattered"


def test_a_few_elements_right_by_luck_hide_nothing() -> None:
    wrong = torch.ones(16, 16, dtype=torch.bool)
    wrong[3, 4] = wrong[9, 9] = False
    found = error_locations(wrong)
    assert found.kind is PatternKind.EVERYWHERE
    assert found.text == "nearly everywhere, 254 of 256 elements"
