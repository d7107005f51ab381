"""Group: the entries of one generator on one device, by task, beside those of all others.

The rule: a task that some run or its suite holds and this generator did not try is in the group
with no entry, and so counts as failed. Tasks that prove nothing are left out, and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.data.scoring.score import Weighting
from assay.data.verdict import Status
from assay.scores.graded import Graded, GradedTask

DEGENERATE = "degenerate: an answer of no computation passes"
INVALID = "invalid: the task itself fails"


@dataclass(frozen=True)
class Group:
    """What every score of one generator on one device is made from."""

    generator: str
    device: str
    tasks: tuple[GradedTask, ...]  # that count
    entries: tuple[Graded, ...]  # of those tasks
    others: tuple[Graded, ...] = ()  # of all generators and devices, these too
    left_out: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def by_task(self) -> tuple[tuple[GradedTask, tuple[Graded, ...]], ...]:
        """Every task with its entries, in the order of sample, round and number."""
        found: dict[str, list[Graded]] = defaultdict(list)
        for one in self.entries:
            found[one.task].append(one)
        return tuple((task, tuple(sorted(found[task.name], key=_order))) for task in self.tasks)

    @cached_property
    def answers(self) -> tuple[tuple[GradedTask, Graded | None], ...]:
        """The one entry of each task that stands for it: the first sample, in its last round."""
        return tuple((task, _answer(entries)) for task, entries in self.by_task)

    @cached_property
    def bests(self) -> tuple[tuple[GradedTask, Graded | None], ...]:
        """The accepted entry of each task with the largest speedup; None where none is."""
        return tuple((task, best(entries)) for task, entries in self.by_task)

    @cached_property
    def timed(self) -> bool:
        """Some accepted entry has a speedup."""
        return any(one.accepted and one.speedup for one in self.entries)

    def credits(self, weighting: Weighting) -> list[float]:
        """What the answer of each task counts; a missing one counts 0."""
        return [one.credit(weighting) if one else 0.0 for _, one in self.answers]


def best(entries: Iterable[Graded]) -> Graded | None:
    """The accepted entry with the largest speedup; those that were not timed come last."""
    accepted = [one for one in entries if one.accepted]
    return max(accepted, key=lambda one: one.speedup or 0.0, default=None)


def _order(one: Graded) -> tuple[int, int, int]:
    return one.provenance.sample or 0, one.provenance.round or 0, one.number


def _answer(entries: Sequence[Graded]) -> Graded | None:
    """Of several entries without sample and round the first one given."""
    if not entries:
        return None
    first = entries[0].provenance.sample
    same = [one for one in entries if one.provenance.sample == first]
    last = max(one.provenance.round or 0 for one in same)
    return next(one for one in same if (one.provenance.round or 0) == last)


def groups(
    tasks: Iterable[GradedTask], entries: Iterable[Graded], keep_all: bool = False
) -> tuple[Group, ...]:
    """One group for each generator and device; entries without a generator go by their run."""
    given = tuple(_placed(entries))
    why = {} if keep_all else _left_out(given)
    counted = tuple(task for task in {t.name: t for t in tasks}.values() if task.name not in why)
    names = {task.name for task in counted}
    kept = tuple(one for one in given if one.task in names)
    found: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    for one in kept:
        found[one.generator or one.run, one.device].append(one)
    return tuple(
        Group(generator, device, counted, tuple(members), kept, Counter(why.values()))
        for (generator, device), members in sorted(found.items())
    )


def _placed(entries: Iterable[Graded]) -> Iterable[Graded]:
    """An entry without a verdict belongs to the device that its run used."""
    from dataclasses import replace

    given = list(entries)
    devices = {one.run: (one.device, one.backend) for one in given if one.status is not None}
    for one in given:
        device, backend = devices.get(one.run, ("", ""))
        yield one if one.status else replace(one, device=device, backend=backend)


def _left_out(entries: Iterable[Graded]) -> dict[str, str]:
    """Why tasks do not count, by name."""
    statuses: dict[str, set[Status]] = defaultdict(set)
    why: dict[str, str] = {}
    for one in entries:
        if one.status is not None:
            statuses[one.task].add(one.status)
        if one.remarks:
            why[one.task] = DEGENERATE
    invalid = {name for name, seen in statuses.items() if seen == {Status.INVALID_TASK}}
    return why | dict.fromkeys(sorted(invalid - why.keys()), INVALID)
