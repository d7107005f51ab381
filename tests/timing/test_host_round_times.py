"""Which clock counts, what the null candidate's batch takes off, and which rounds are used."""

from __future__ import annotations

import pytest

from assay.timing.host_round_times import BatchTimes, HostRoundTimes
from assay.timing.statistics.clock_agreement import ClockAnswer

ROUNDS = 8


def _times(*inside_us: float, null: int = 200_000) -> HostRoundTimes:
    """Sides that take 1000 us a call outside, ten calls a batch, over a null batch."""
    sides = [[BatchTimes(10_000_000 + null, int(1e4 * us))] * ROUNDS for us in inside_us]
    return HostRoundTimes([*sides, [BatchTimes(null + 50_000, 50_000)] * ROUNDS], [10] * ROUNDS)


def test_the_inside_clock_counts_where_all_of_them_are_confirmed() -> None:
    times = _times(970.0, 980.0, 990.0)
    assert times.inside and times.samples_us(2) == pytest.approx([990.0] * ROUNDS)


def test_one_that_leaves_time_out_costs_all_of_them_the_inside_clock() -> None:
    times = _times(970.0, 980.0, 400.0)
    assert not times.inside and times.samples_us(0) == pytest.approx([1000.0] * ROUNDS)
    assert times.inside_share(2) == pytest.approx(0.4)
    assert times.answer(2) is ClockAnswer.LIE


def test_what_the_null_candidate_computes_itself_is_not_our_cost() -> None:
    assert _times(1000.0).clock_rounds(0)[0].empty_us == pytest.approx(200.0)


def test_no_sample_is_shorter_than_what_the_clock_resolves() -> None:
    """Null batches of 0.2 to 2 ms, over which a candidate of no time at all is nothing."""
    empty = [BatchTimes(200_000 * (1 + n), 0) for n in range(ROUNDS)]
    times = HostRoundTimes([[BatchTimes(900_000, 0)] * ROUNDS, empty], [10] * ROUNDS)
    assert not times.inside and times.resolution_us == pytest.approx(100.0 / ROUNDS**0.5)
    assert min(times.samples_us(0)) >= times.resolution_us
    assert times.apart_us(0) == times.resolution_us


def test_an_even_null_batch_sets_nobody_apart() -> None:
    assert _times(1000.0).apart_us(0) == 0.0


def _waiting(shares: list[float], own: float = 0.0) -> HostRoundTimes:
    candidate = [BatchTimes(1_000_000, 900_000, int(1e6 * own)) for _ in shares]
    known = [BatchTimes(1_000_000, 900_000, int(1e6 * share)) for share in shares]
    return HostRoundTimes([candidate, known, known], list(range(1, len(shares) + 1)))


def test_rounds_in_which_known_code_waited_are_left_out() -> None:
    times = _waiting([0.0, 0.5, 0.01, 0.0, 0.3, 0.0, 0.02, 0.0])
    assert times.quiet().lengths == [1, 3, 4, 6, 7, 8]
    assert len(times.quiet().sides[0]) == 6


def test_too_few_quiet_rounds_leave_all_of_them() -> None:
    times = _waiting([0.5] * 5 + [0.0] * 5)
    assert times.quiet() is times and times.waited() == [0.5] * 5 + [0.0] * 5


def test_a_candidate_that_waits_for_itself_chooses_no_rounds() -> None:
    times = _waiting([0.0] * 8, own=0.9)
    assert times.quiet().lengths == times.lengths and max(times.waited()) == 0.0


def _handing(said_us: float, known_us: float) -> HostRoundTimes:
    """A side that says how long handing over took, of 1000 us that a batch of ten takes beside."""
    null = BatchTimes(int(1e6 + 1e4 * known_us), 0, 0, int(1e4 * known_us))
    inside_ns = int(10_000_000 - 1e4 * said_us)
    side = BatchTimes(11_000_000, inside_ns, 0, int(1e4 * said_us))
    return HostRoundTimes([[side] * ROUNDS, [null] * ROUNDS], [10] * ROUNDS)


def test_handing_over_that_is_said_to_take_long_shortens_no_time() -> None:
    """Both clocks agree, whatever is said, up to twice of what the null candidate needs."""
    true, lie = _handing(100.0, 100.0), _handing(200.0, 100.0)
    assert true.inside and lie.inside
    assert true.samples_us(0) == pytest.approx([900.0] * ROUNDS)
    assert lie.samples_us(0) == pytest.approx([900.0] * ROUNDS)


def test_what_threads_may_spin_while_one_waits_is_no_work() -> None:
    """Two threads of OpenMP, one of them without a processor for 0.9 ms of 2.9 ms."""
    alone = BatchTimes(outside_ns=1_400_000, inside_ns=0, ran_ns=2_700_000, waited_ns=10_000)
    beside = BatchTimes(outside_ns=2_900_000, inside_ns=0, ran_ns=4_600_000, waited_ns=900_000)
    assert alone.worked_ns == pytest.approx(2_690_000, rel=0.01)
    assert beside.worked_ns < 1.5 * alone.worked_ns
    one_thread = BatchTimes(outside_ns=2_000_000, inside_ns=0, ran_ns=1_100_000, waited_ns=900_000)
    assert one_thread.worked_ns == one_thread.ran_ns
