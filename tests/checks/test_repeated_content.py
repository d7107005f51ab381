"""Repetition, seen from candidates whose times follow a rule."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

from assay.checks.repeated_content import repeat
from assay.data.evidence import Severity
from assay.data.settings import Level
from assay.judge.behaviour.faster_repeats import findings
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import PlannedCall
from assay.sandbox.host.raw_call import BatchResult
from support.small_exam import make_exam

_COMPUTING_US = 1000.0
_ELEMENTS = 512  # of the own workload

Clock = Callable[[list[bytes]], float]  # all questions so far, the last one being answered


class _Session:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.asked: list[bytes] = []

    def run(self, calls: Sequence[PlannedCall], *_: Any) -> BatchResult:
        assert len({call.place for call in calls}) == len(calls)
        us = 0.0
        for call in calls:
            self.asked.append(call.content.tensors[0].numpy().tobytes())
            us += self._clock(self.asked)
        return BatchResult((), int(1e3 * us), 0, "")


def _convicted(clock: Clock) -> bool:
    session = _Session(clock)
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    convicted = bool(findings(seen))
    assert len(seen.first_us) == 8 or not convicted
    return convicted


def test_two_pairs_that_are_computed_are_enough() -> None:
    session = _Session(lambda asked: _COMPUTING_US)
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    assert len(seen.first_us) == 2 and not findings(seen)


def _untouched(asked: list[bytes]) -> int:
    """Elements that the call before did not touch, for a kernel that gathers by value.

    From a table of 2^16 entries, of which sixteen share a line of the cache.
    """
    if len(asked) < 2:
        return _ELEMENTS
    now, before = (set(np.frombuffer(q, np.uint32) >> 20) for q in (asked[-1], asked[-2]))
    return len(now - before)


class _ByValue:
    """A kernel that keeps every value it has computed for, whatever its place is."""

    def __init__(self) -> None:
        self._kept: set[int] = set()

    def __call__(self, asked: list[bytes]) -> float:
        values = set(np.frombuffer(asked[-1], np.uint32).tolist())
        unseen = len(values - self._kept)
        self._kept |= values
        return _COMPUTING_US * (0.1 + 0.9 * unseen / _ELEMENTS)


def test_whoever_keeps_answers_by_value_is_slower_on_new_values() -> None:
    assert _convicted(_ByValue())


def _remembering(asked: list[bytes]) -> float:
    return 0.1 * _COMPUTING_US if asked[-1] in asked[:-1] else _COMPUTING_US


def _gathering(asked: list[bytes]) -> float:
    return _COMPUTING_US * (0.2 + 0.8 * _untouched(asked) / _ELEMENTS)


def test_whoever_remembers_is_faster_the_second_time() -> None:
    assert _convicted(_remembering)


def _remembering_late(asked: list[bytes]) -> float:
    return 0.1 * _COMPUTING_US if asked[:-1].count(asked[-1]) >= 5 else _COMPUTING_US


def test_whoever_begins_to_remember_late_is_faster_the_last_time() -> None:
    session = _Session(_scaled(_remembering_late, 2.0))
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    (found,) = findings(seen)
    assert found.severity is Severity.CONVICTS and "many times" in found.text


def _scaled(clock: Clock, factor: float) -> Clock:
    return lambda asked: factor * clock(asked)


def _last_kept(asked: list[bytes]) -> float:
    return 0.1 * _COMPUTING_US if asked[-1:] == asked[-2:-1] else _COMPUTING_US


@pytest.mark.parametrize(
    ("clock", "factor"),
    [
        *((_remembering, factor) for factor in (0.05, 0.9, 1.0, 300.0)),
        *((_last_kept, factor) for factor in (0.9, 1.0, 300.0)),
        pytest.param(_last_kept, 0.05, marks=pytest.mark.exhaustive),
    ],
)
def test_short_and_long_calls_are_asked_too(clock: Clock, factor: float) -> None:
    session = _Session(_scaled(clock, factor))
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    (found,) = findings(seen)
    assert found.severity is Severity.CONVICTS
    assert (seen.calls > 1) is (factor < 1.0)


@pytest.mark.parametrize("factor", [0.05, 0.9, 1.0, 300.0])
def test_short_and_long_calls_that_compute_are_not_convicted(factor: float) -> None:
    honest = _Session(lambda asked: factor * _COMPUTING_US)
    seen = repeat(make_exam(Level.QUICK), cast(Any, honest), Deadline.after(10.0))
    assert findings(seen) == () and seen.first_us


def _scattering(clock: Clock, seed: int) -> Clock:
    """As on a busy machine: now and then up to four times as long."""
    rng = random.Random(seed)
    return lambda asked: clock(asked) * rng.choice((2.0, 2.0, 2.5, 5.0, 8.0))


def test_where_times_scatter_twice_as_many_pairs_are_asked() -> None:
    session = _Session(_scattering(_remembering, 0))
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    assert len(seen.first_us) == 16 and findings(seen)[0].severity is Severity.CONVICTS
    late = _Session(_scattering(_remembering_late, 0))
    seen = repeat(make_exam(Level.QUICK), cast(Any, late), Deadline.after(10.0))
    assert len(seen.once_us) == 16 and findings(seen)[0].severity is Severity.CONVICTS
    for seed in range(4):
        honest = _Session(_scattering(lambda asked: _COMPUTING_US, seed))
        assert not findings(repeat(make_exam(Level.QUICK), cast(Any, honest), Deadline.after(10.0)))


def test_processor_time_tells_a_memo_on_a_busy_machine() -> None:
    """By the outside clock every call takes about as long, remembered or not."""
    for clock, convicted in ((_remembering, True), (lambda _: _COMPUTING_US, False)):
        session = _Session(lambda asked: 20 * _COMPUTING_US)
        ran = _ProcessorClock(session, clock)
        seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0), ran)
        assert bool(findings(seen)) is convicted


class _ProcessorClock:
    """Of a candidate whose calls use what another clock says."""

    def __init__(self, session: _Session, clock: Clock) -> None:
        self._session, self._clock = session, clock
        self._used_us, self._calls = 0.0, 0

    def __call__(self) -> int:
        asked = self._session.asked
        for number in range(self._calls, len(asked)):
            self._used_us += self._clock(asked[: number + 1])
        self._calls = len(asked)
        return int(1e3 * self._used_us)


def test_a_call_of_many_seconds_is_not_asked_and_that_is_said() -> None:
    session = _Session(_scaled(_remembering, 5000.0))
    seen = repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    assert seen.reason and not seen.first_us and len(session.asked) == 1


def test_whoever_finds_its_rows_in_the_cache_is_not() -> None:
    assert not _convicted(_gathering)


@pytest.mark.parametrize("period", range(2, 9))
@pytest.mark.parametrize("fast", [1, 2, 3])
def test_nothing_with_a_rhythm_keeps_step(period: int, fast: int) -> None:
    fast = min(fast, period - 1)  # calls of a period that no other process delays
    for phase in range(period):
        assert not _convicted(_delayed(period, fast, phase))


def _delayed(period: int, fast: int, phase: int) -> Clock:
    return lambda asked: _COMPUTING_US * (1.0 if (len(asked) + phase) % period < fast else 5.0)


def _changed_elements(asked: list[bytes]) -> int:
    if len(asked) < 2:
        return _ELEMENTS
    pairs = ((asked[-1][i : i + 4], asked[-2][i : i + 4]) for i in range(0, len(asked[-1]), 4))
    return sum(one != other for one, other in pairs)


def _keeping_parts(asked: list[bytes]) -> float:
    """Sixteenths of the content in which nothing changed are not computed again."""
    size = len(asked[-1]) // 16
    if len(asked) < 2:
        return _COMPUTING_US
    parts = [slice(i * size, (i + 1) * size) for i in range(16)]
    return _COMPUTING_US * (0.02 + sum(asked[-1][p] != asked[-2][p] for p in parts) / 16)


def test_whoever_keeps_parts_of_an_answer_is_faster_where_few_elements_changed() -> None:
    assert _convicted(_keeping_parts)


def test_new_contents_change_all_over_and_others_in_a_few_elements() -> None:
    session = _Session(lambda asked: _COMPUTING_US)
    repeat(make_exam(Level.QUICK), cast(Any, session), Deadline.after(10.0))
    moved = [_changed_elements(session.asked[:i]) for i in range(2, len(session.asked) + 1)]
    assert any(0 < count <= 3 for count in moved) and any(count >= 16 for count in moved)


def _correcting(asked: list[bytes]) -> float:
    """Answers are kept, and what changed elements contribute is added to the nearest of them."""
    contents = np.frombuffer(b"".join(asked[-400:]), np.uint32).reshape(-1, _ELEMENTS)
    moved = int((contents[:-1] != contents[-1]).sum(1).min(initial=_ELEMENTS))
    return _COMPUTING_US * (0.2 + 0.8 * min(1.0, 4.0 * moved / _ELEMENTS))


@pytest.mark.parametrize("factor", [0.5, 5.0])
def test_whoever_corrects_an_answer_is_faster_where_most_elements_are_known(factor: float) -> None:
    seen = repeat(
        make_exam(Level.QUICK),
        cast(Any, _Session(_scaled(_correcting, factor))),
        Deadline.after(10.0),
    )
    found = findings(seen)
    assert [one.severity for one in found] == [Severity.CONVICTS]
    assert max(b / a for a, b in zip(seen.new_us, seen.near_us, strict=True)) < 0.7
