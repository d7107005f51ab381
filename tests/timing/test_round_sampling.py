"""Sampled rounds: drawn in secret among the first and the last, more where they show too little."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from assay.data.observations.observation import LeftoverSeen, Observation
from assay.timing.host_round_times import BatchTimes
from assay.timing.round_sampling import ENOUGH_SAMPLES, RoundSampling


class _Sampler:
    """Sees so many samples in every batch."""

    def __init__(self, each: int, others: int = 100) -> None:
        self._each = each
        self._others = others
        self.attributed = self.total = 0
        self.looked: list[int] = []

    @contextmanager
    def sampling(self) -> Iterator[None]:
        yield
        self.attributed += self._each
        self.total += self._each + self._others

    def look_for_leftovers(self, number: int) -> None:
        self.looked.append(number)

    def observations(self, call_us: float, ran_us: float) -> list[Observation]:
        return [LeftoverSeen(when=f"{ran_us:g} of {call_us:g} us", processes=0, text="")]


def _due(rounds: int, seed: int) -> list[int]:
    sampling = RoundSampling(_Sampler(1), random.Random(seed))
    return [number for number in range(rounds) if sampling.is_due(number)]


def test_one_of_every_few_rounds_is_sampled_and_none_is_safe() -> None:
    for seed in range(50):
        due = _due(63, seed)
        assert [number // 5 for number in due[:3]] == [0, 1, 2]
        assert [(number - 15) // 12 for number in due[3:]] == [0, 1, 2, 3]
    assert {number for seed in range(300) for number in _due(15, seed)} == set(range(15))


def test_more_follow_where_there_are_too_few_samples() -> None:
    for each, expected in ((ENOUGH_SAMPLES, 1), (ENOUGH_SAMPLES // 4, 4), (0, 8)):
        sampling = RoundSampling(_Sampler(each), random.Random(1))
        while sampling.needs_more:
            sampling.run(lambda: BatchTimes(5_000_000, 0), 10)
        assert sampling.rounds == expected


def test_many_follow_where_nothing_can_be_said_yet() -> None:
    for others, expected in ((10, 12), (1, 30)):
        sampling = RoundSampling(_Sampler(0, others), random.Random(1))
        while sampling.needs_more:
            sampling.run(lambda: BatchTimes(5_000_000, 0), 10)
        assert sampling.rounds == expected


def test_more_follow_where_calls_take_longer_while_they_are_looked_at() -> None:
    sampling = RoundSampling(_Sampler(1), random.Random(1))
    assert not sampling.differs([5.0, 5.1])
    while sampling.rounds == 0 or sampling.differs([5.0, 5.1]):
        sampling.run(lambda: BatchTimes(5_000_000, 0, ran_ns=90_000), 10)
    assert sampling.worked_us == [9.0] * 4
    sampling.worked_us[:] = [9.0, 5.2]
    assert not sampling.differs([5.0, 5.1])


def test_what_was_seen_is_told_with_the_time_of_a_call() -> None:
    sampler = _Sampler(1)
    sampling = RoundSampling(sampler, random.Random(1))
    assert sampling.observations() == []
    for _ in range(3):
        sampling.run(lambda: BatchTimes(5_000_000, 0, ran_ns=40_000), 10)
    (seen,) = sampling.observations()
    assert isinstance(seen, LeftoverSeen) and seen.when == "4 of 500 us"
    assert sampler.looked == [1]
