"""TaskView: one task of a search, with what follows from its attempts.

The rule: everything is derived from the state. An attempt that is dishonest, suspicious or faster
than the limit is quarantined: it is no parent, no example and no gain.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from assay.data.generation.attempt import Attempt, shows_gain
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState, TaskState

REPAIRABLE = frozenset({"incorrect", "build_failed", "crashed", "timed_out", "out_of_memory"})
CHEATING = frozenset({"dishonest", "suspicious"})
IMPROVING = frozenset({Move.OPTIMISE, Move.CROSSOVER, Move.CONFIG})
STEP = "step"  # label: the answer of a strategy, counted over the search, that asked for an attempt


def quarantined(one: Attempt) -> bool:
    """Whether nothing may be built on it, however fast it looks."""
    return one.status in CHEATING or one.below_limit


def repairable(one: Attempt) -> bool:
    """Whether it is an honest failure that a generator could correct."""
    return bool(one.candidate) and one.status in REPAIRABLE and not one.below_limit


def step_of(one: Attempt) -> int:
    """The answer that asked for it; -1 where a label does not say."""
    text = one.labels.get(STEP, "")
    return int(text) if text.isdigit() else -1


def kept_versions(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """Those that were each faster than the one before beyond noise: keep or revert, replayed."""
    kept: list[Attempt] = []
    for one in attempts:
        if not one.accepted:
            continue
        if not kept or shows_gain(one, kept[-1]):
            kept.append(one)
    return tuple(kept)


@dataclass(frozen=True)
class TaskView:
    """One task, as strategies look at it."""

    state: SearchState
    task: TaskState

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All of them, in order."""
        return self.task.attempts

    @cached_property
    def by_id(self) -> dict[str, Attempt]:
        """Attempts by their candidate's id; the first of each."""
        found: dict[str, Attempt] = {}
        for one in self.attempts:
            if one.candidate:
                found.setdefault(one.candidate, one)
        return found

    @cached_property
    def kept(self) -> tuple[Attempt, ...]:
        """The lineage of keep-or-revert over the whole task."""
        return kept_versions(self.attempts)

    @property
    def current(self) -> Attempt | None:
        """The last of that lineage: the fastest beyond noise."""
        return self.kept[-1] if self.kept else None

    @cached_property
    def ranked(self) -> tuple[Attempt, ...]:
        """Accepted attempts, each candidate once, by the lower ends of their intervals."""
        unique = {one.candidate: one for one in reversed(self.task.accepted)}
        return tuple(sorted(unique.values(), key=lambda one: (-(one.speedup_low or 0), one.number)))

    @property
    def stalled(self) -> int:
        """Improving asks since the last gain; repairs and drafts are counted elsewhere."""
        current = self.current
        if current is None:
            return 0
        later = [one for one in self.attempts if one.number > current.number]
        return sum(one.move in IMPROVING for one in later)

    @property
    def headroom(self) -> float | None:
        """How many times faster the current one, else the baseline, could become at best."""
        current = self.current
        if current is not None and current.headroom is not None:
            return current.headroom
        reached = current.latency_us if current is not None else self.task.baseline_us
        if not reached or not self.task.sol_us:
            return None
        return reached / self.task.sol_us

    @property
    def seconds(self) -> float:
        """What generators took for this task: its own clock, not the search's."""
        return sum(one.spent.seconds for one in self.attempts)

    def asked(self, *moves: Move) -> tuple[Attempt, ...]:
        """Attempts of these moves."""
        return tuple(one for one in self.attempts if one.move in moves)

    def repairs_in_a_row(self, one: Attempt) -> int:
        """How many repairs led to it since the last other move."""
        count, seen = 0, {one.candidate}
        while one.move is Move.REPAIR:
            count += 1
            parent = self.by_id.get(one.parents[0]) if one.parents else None
            if parent is None or parent.candidate in seen:
                break
            seen.add(parent.candidate)
            one = parent
        return count

    def was_repaired(self, one: Attempt) -> bool:
        """Whether a repair of it was asked for already."""
        return any(
            later.move is Move.REPAIR and one.candidate in later.parents for later in self.attempts
        )

    def chance(self, name: str) -> random.Random:
        """Chance that follows from the seed and from how far this task is."""
        return random.Random(f"{self.state.seed}:{self.task.task}:{len(self.attempts)}:{name}")
