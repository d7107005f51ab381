"""Bursts: how many calls, how many bursts, and what is made of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch

from assay.devices.burst import Bursts, EventTimer, Work, bursts, calls_a_burst


@dataclass
class ScriptedTimer:
    """Every call costs the same, and every burst a fixed sum on top."""

    call_us: float
    offset_us: float = 0.0
    lengths: list[int] = field(default_factory=list)

    def burst_us(self, work: Work, calls: int, behind: Work | None = None) -> float:
        self.lengths.append(calls)
        return self.offset_us + calls * self.call_us

    def wait(self) -> None: ...


@pytest.mark.parametrize(("one_us", "calls"), [(0.0, 64), (10.0, 64), (500.0, 10), (1e6, 1)])
def test_a_burst_takes_milliseconds(one_us: float, calls: int) -> None:
    assert calls_a_burst(one_us) == calls


def test_warming_up_does_not_count_and_three_bursts_do() -> None:
    timer = ScriptedTimer(call_us=1000.0)
    found = bursts(timer, lambda: None, budget_s=0.0)
    assert timer.lengths == [1, 1, 5, 5, 5]
    assert found.per_call_us == (1000.0, 1000.0, 1000.0)


def test_the_best_and_the_median() -> None:
    found = Bursts((3.0, 1.0, 2.0))
    assert (found.best_us, found.median_us) == (1.0, 2.0)


def test_events_stand_around_the_calls_and_behind_what_is_queued_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            assert enable_timing

        def record(self) -> None:
            done.append("event")

        def synchronize(self) -> None:
            done.append("wait")

        def elapsed_time(self, end: Event) -> float:
            assert end is not self
            return 0.25

    monkeypatch.setattr(torch.cuda, "Event", Event)
    took_us = EventTimer().burst_us(lambda: done.append("work"), 2, lambda: done.append("before"))
    assert took_us == 250.0
    assert done == ["before", "event", "work", "work", "event", "wait"]
