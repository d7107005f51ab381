"""RoundSampling: rounds of a stopwatch in which the candidate's threads are looked at.

The rule: a sampled round is a timed one in everything that the candidate meets - process, ring,
places, copies, lengths - but for the statistics, which leave it out. One is drawn in secret out of
every few rounds, so that some lie among the first and some among the last; and where they show too
little, as on a busy machine, more follow the last one.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from assay.data.observations.observation import Observation
from assay.sandbox.host.session import Session
from assay.timing.host_round_times import BatchTimes

_STRETCH, _LATER_STRETCH = 5, 12  # rounds of which one is sampled
_FIRST_ROUNDS = 15
ENOUGH_SAMPLES = 40  # that belong to somebody
_FURTHER_ROUNDS = 8  # in all, where there are fewer
_LEAST_SAMPLES, _LEAST_TOTAL = 15, 120  # with fewer of both nothing can be said
_COMPARED_ROUNDS = 4  # that tell whether it works otherwise while it is looked at
_LONGER = 1.25  # times the processor time of other rounds
_MOST_ROUNDS = 30  # in all, before nothing is said


class RoundSampler(Protocol):
    """Looks at one process while a batch runs, and says what it saw."""

    @property
    def attributed(self) -> int:
        """Samples so far that speak for or against the candidate."""
        ...

    @property
    def total(self) -> int:
        """Samples so far, whoever they belong to."""
        ...

    def sampling(self) -> AbstractContextManager[None]:
        """Look while the batch inside runs."""
        ...

    def look_for_leftovers(self, number: int) -> None:
        """After a batch: does something still compute?"""
        ...

    def observations(self, call_us: float, ran_us: float) -> Sequence[Observation]:
        """What was seen over all; of a call the time, and the processor time of all threads."""
        ...


MakeRoundSampler = Callable[[Session], RoundSampler]


@dataclass
class RoundSampling:
    """Which rounds are sampled, and what they took."""

    sampler: RoundSampler
    rng: random.Random
    calls: int = 0
    outside_ns: int = 0
    ran_ns: int = 0
    rounds: int = 0
    worked_us: list[float] = field(default_factory=list)  # of a call without spinning, one a round
    _next: int = field(init=False)
    _end: int = _STRETCH  # of the stretch in which the next one lies

    def __post_init__(self) -> None:
        self._next = self.rng.randrange(_STRETCH)

    def is_due(self, number: int) -> bool:
        """Whether a sampled round goes with round `number`; asked of each in turn."""
        if number != self._next:
            return False
        stretch = _STRETCH if self._end < _FIRST_ROUNDS else _LATER_STRETCH
        self._next = self._end + self.rng.randrange(stretch)
        self._end += stretch
        return True

    @property
    def needs_more(self) -> bool:
        """Whether another round at the end may still tell something."""
        seen = self.sampler
        if seen.attributed < _LEAST_SAMPLES and seen.total < _LEAST_TOTAL:
            return self.rounds < _MOST_ROUNDS
        return seen.attributed < ENOUGH_SAMPLES and self.rounds < _FURTHER_ROUNDS

    def differs(self, others_us: Sequence[float]) -> bool:
        """Whether calls so far use more processor time while they are looked at, in few rounds.

        A few more say whether that was chance.
        """
        if not self.worked_us or not others_us or len(self.worked_us) >= _COMPARED_ROUNDS:
            return False
        return min(self.worked_us) > _LONGER * statistics.median(others_us)

    def run(self, batch: Callable[[], BatchTimes], calls: int) -> None:
        """One sampled batch of so many calls."""
        with self.sampler.sampling():
            times = batch()
        self.outside_ns += times.outside_ns
        self.ran_ns += times.ran_ns
        self.worked_us.append(times.worked_ns / 1e3 / max(1, calls))
        self.calls += calls
        self.rounds += 1
        if self.rounds == 1:
            self.sampler.look_for_leftovers(self.rounds)

    def observations(self) -> list[Observation]:
        """What was seen."""
        if not self.rounds:
            return []
        calls = max(1, self.calls)
        return list(
            self.sampler.observations(self.outside_ns / 1e3 / calls, self.ran_ns / 1e3 / calls)
        )
