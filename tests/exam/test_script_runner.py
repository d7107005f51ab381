"""When a candidate that is wrong has been asked enough."""

from __future__ import annotations

import math
import random

import pytest

from assay.checks.recycled_memory import recycling_batches
from assay.data.settings import Level
from assay.exam import script_runner as module
from assay.exam.script import write_script
from assay.exam.script_runner import ENOUGH_WRONG
from support.script_runs import script_run
from support.small_exam import make_exam
from support.walls import Room

OFF = "return y * 1.5"


def wrong_answers(rooms: dict[str, Room], enough: int = ENOUGH_WRONG) -> tuple[int, int]:
    """Of a candidate that is always off, and the number of calls in the script."""
    exam = make_exam(Level.STANDARD)
    script = write_script(exam, random.Random(3), recycling_batches(exam))
    with script_run(rooms, exam, OFF, enough) as script_runner:
        script_runner.run(script)
    return script_runner.wrong, sum(len(batch.calls) for batch in script)


def test_who_is_clearly_wrong_is_not_asked_everything(rooms: dict[str, Room]) -> None:
    wrong, calls = wrong_answers(rooms)
    assert ENOUGH_WRONG <= wrong < calls / 2


@pytest.mark.exhaustive
def test_who_is_nearly_right_is_asked_on(
    rooms: dict[str, Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    few, _ = wrong_answers(rooms)
    monkeypatch.setattr(module, "_CLEARLY", math.inf)
    many, _ = wrong_answers(rooms)
    assert many > 2 * few


def test_the_first_fault_is_enough_where_it_is_asked_for(
    rooms: dict[str, Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CLEARLY", math.inf)
    wrong, calls = wrong_answers(rooms, enough=1)
    assert 1 <= wrong < calls / 10
