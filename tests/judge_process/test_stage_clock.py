"""Seconds by stage, added up from the reports."""

from __future__ import annotations

import pytest

from assay.judge_process import stage_clock
from assay.judge_process.stage_clock import StageClock


def test_seconds_are_added_up_by_stage_and_reports_are_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr(stage_clock.time, "monotonic", lambda: now_s)
    told: list[tuple[str, float | None]] = []
    clock = StageClock(lambda stage, fraction: told.append((stage, fraction)))
    for stage, seconds in [("drawing", 2.0), ("calling", 1.0), ("timing", 4.0), ("calling", 0.5)]:
        clock(stage, None)
        now_s += seconds
    assert clock.seconds() == {"drawing": 2.0, "calling": 1.5, "timing": 4.0}
    assert list(clock.seconds()) == ["drawing", "calling", "timing"]
    assert clock.elapsed_s == 7.5
    assert told == [("drawing", None), ("calling", None), ("timing", None), ("calling", None)]


def test_nothing_reported_is_nothing() -> None:
    assert StageClock(lambda stage, fraction: None).seconds() == {}
