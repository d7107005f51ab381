"""Races of scripted runners: where calls find their inputs, and who is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from assay.data.observations.observation import EndCause
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.timing.baseline import BaselineLost
from assay.timing.device_measurement import measurement
from assay.timing.device_round_times import GatedRun
from assay.timing.device_rounds import DeviceRounds, DeviceSide


class _Ring:
    """Eight places, which remember how many were written anew."""

    def __init__(self) -> None:
        self.laid = list(range(8))
        self.refreshed: list[int] = []

    def refresh(self, length: int, judged: int = 0) -> None:
        assert judged < length
        self.refreshed.append(length)


class _Gate:
    """Takes a microsecond a call; may end at the third batch, or wait for the device inside it."""

    def __init__(self, dies: bool = False, most: int = 99, late: tuple[int, ...] = ()) -> None:
        self.batches: list[list[int]] = []
        self.opened = 0
        self._dies = dies
        self._most = most  # calls that it can queue
        self._late = late  # batches that it does not queue in time

    def run(self, laid: Sequence[int], refresh: Callable[[], None], *_: Any) -> GatedRun:
        refresh()
        self.batches.append(list(laid))
        if self._dies and len(self.batches) > 2:
            raise ProcessLost(EndCause.EXITED, 3, "it left")
        gated = len(laid) <= self._most and len(self.batches) not in self._late
        return GatedRun(1000 * len(laid), 1000 * len(laid), 100, gated)

    def run_open(self, laid: Sequence[int], refresh: Callable[[], None], *_: Any) -> GatedRun:
        refresh()
        self.opened += 1
        return GatedRun(3000 * len(laid), 3000 * len(laid), 3000 * len(laid), False)


def _runner(
    name: str, dies: bool = False, gap_us: float | None = None, gate: _Gate | None = None
) -> DeviceSide:
    made = cast(Any, gate or _Gate(dies))
    return DeviceSide(name, cast(Any, None), cast(Any, _Ring()), made, gap_us)


def _race(*device_sides: DeviceSide, warm: bool = False) -> DeviceRounds:
    return DeviceRounds([*device_sides, _runner("null")], random.Random(1), 10.0, warm)


def _batches(device_side: DeviceSide) -> list[list[int]]:
    return cast(Any, device_side.gate).batches  # type: ignore[no-any-return]


def test_cold_calls_have_places_of_their_own() -> None:
    own = _runner("candidate")
    _race(own, _runner("eager")).round(4)
    assert _batches(own) == [[0, 1, 2, 3]] and cast(Any, own.ring).refreshed == [4]


def test_warm_calls_share_one_place_that_changes_between_batches() -> None:
    own = _runner("candidate")
    device_rounds = _race(own, _runner("eager"), warm=True)
    assert device_rounds.round(4) == 0 and device_rounds.round(3) == 0
    assert _batches(own) == [[0] * 4, [0] * 3] and cast(Any, own.ring).refreshed == [1, 1]
    assert "inputs at one place" in measurement(device_rounds.times, 0, "candidate", "warm").method


def test_a_baseline_that_ends_is_named() -> None:
    device_rounds = _race(_runner("candidate"), _runner("vendor", dies=True))
    with pytest.raises(BaselineLost, match="vendor: it left"):
        for _ in range(3):
            device_rounds.round(4)


def test_a_candidate_that_ends_is_no_baselines_fault() -> None:
    device_rounds = _race(_runner("candidate", dies=True), _runner("vendor"))
    with pytest.raises(ProcessLost):
        for _ in range(3):
            device_rounds.round(4)


def test_gaps_count_only_where_every_side_knows_its_own() -> None:
    knows, does_not = _runner("candidate", gap_us=1.7), _runner("eager")
    assert _race(knows, does_not).gaps_us == ()
    device_rounds = _race(knows, _runner("eager", gap_us=1.8))
    assert device_rounds.gaps_us == device_rounds.times.gaps_us == (1.7, 1.8)
    device_rounds.round(4)
    apart = measurement(device_rounds.times, 0, "candidate", "warm").apart_us
    device_rounds = _race(knows, does_not)
    device_rounds.round(4)
    assert apart < measurement(device_rounds.times, 0, "candidate", "warm").apart_us


def test_two_processes_of_a_side_are_less_apart_than_one() -> None:
    sides = [_runner(name, gap_us=1.7) for name in ("candidate", "candidate", "eager", "eager")]
    device_rounds = DeviceRounds([*sides, _runner("null")], random.Random(1), 10.0, processes=2)
    device_rounds.round(4)
    assert device_rounds.times.sides == 2 and all(
        len(runs) == 1 for runs in device_rounds.times.runs
    )
    two = measurement(device_rounds.times, 1, "eager", "warm")
    alone = _race(*sides[::2])
    alone.round(4)
    one = measurement(alone.times, 1, "eager", "warm")
    assert two.apart_us == pytest.approx(one.apart_us / 2**0.5)
    assert "2 processes each" in two.method and "processes" not in one.method


def test_where_one_side_waits_inside_its_calls_nobody_is_gated() -> None:
    waits, own = _Gate(most=0), _Gate()
    device_rounds = _race(_runner("candidate", gate=own), _runner("eager", gate=waits))
    length = device_rounds.settle(8, 0.003)
    assert not device_rounds.held and len(waits.batches) == 2  # asked twice, never again
    for _ in range(6):
        device_rounds.round(length)
    assert own.opened == waits.opened == 7
    for side, name in enumerate(("candidate", "eager")):
        found = measurement(device_rounds.times, side, name, "warm")
        assert found.gated is False and "not gated" in found.method
        assert not found.host_us and not found.launch_us
        assert any("eager waits for the device inside a call" in one for one in found.remarks)


def test_a_queue_that_is_full_shortens_batches_and_is_no_waiting() -> None:
    device_rounds = _race(_runner("candidate", gate=_Gate(most=4)), _runner("eager"))
    assert device_rounds.settle(8, 1.0) == 4 and device_rounds.held


def test_a_round_that_was_not_queued_in_time_does_not_count() -> None:
    device_rounds = _race(_runner("candidate", gate=_Gate(late=(2,))), _runner("eager"))
    for _ in range(4):
        device_rounds.round(4)
    assert (
        device_rounds.held
        and device_rounds.times.gated(0)
        and len(device_rounds.times.lengths) == 3
    )


def test_one_that_is_late_again_and_again_is_let_through_with_all_others() -> None:
    device_rounds = _race(_runner("candidate", gate=_Gate(late=(2, 4, 5))), _runner("eager"))
    for _ in range(7):
        device_rounds.round(4)
    assert not device_rounds.held and device_rounds.times.waiting == ("candidate",)
    assert len(device_rounds.times.lengths) == 2 and not device_rounds.times.gated(1)
