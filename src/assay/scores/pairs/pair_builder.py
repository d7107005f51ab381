"""Pair builder: steps between candidates become pairs, and every step is counted.

The rule: a correction ends in an accepted candidate and begins with one whose failure is its own:
what is suspicious, not judged or failed through us decides nothing. A gain counts where its
interval lies above 1 (`gains.py`). Claims of others are used only where they were asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.data.record import content_id
from assay.data.scoring.pairs import Gain, Split, StepOutcome, TrainingPair
from assay.data.verdict import Status
from assay.scores.analysis.claimed_ratios import claimed_gain, claimed_noise
from assay.scores.analysis.gains import judged_gain
from assay.scores.analysis.round_steps import steps
from assay.scores.graded import Graded
from assay.scores.pairs.pair_sides import SideFacts
from assay.scores.pairs.task_groups import is_held_out

_OWN_FAILURES = frozenset(
    {
        Status.BUILD_FAILED,
        Status.CRASHED,
        Status.TIMED_OUT,
        Status.OUT_OF_MEMORY,
        Status.DISHONEST,
        Status.INCORRECT,
    }
)
_PAIRS = frozenset({StepOutcome.ERROR_CORRECTION, StepOutcome.OPTIMISATION})

Place = tuple[str, int]  # a run and the number of an entry in it


@dataclass(frozen=True)
class PairRules:
    """What was asked for."""

    claimed: bool = False  # make pairs of what others claim, too
    held_out: float = 0.0  # share of the groups of tasks
    seed: int = 0


@dataclass
class BuiltPairs:
    """The pairs, and what became of every step."""

    pairs: list[TrainingPair] = field(default_factory=list)
    outcomes: Counter[StepOutcome] = field(default_factory=Counter)
    noise: float | None = None  # of claims; None where none was used

    @property
    def steps(self) -> int:
        """All of them."""
        return self.outcomes.total()


def built_pairs(
    entries: Sequence[Graded],
    facts: Mapping[Place, SideFacts],
    groups: Mapping[str, str],
    rules: PairRules,
) -> BuiltPairs:
    """Every pair of the entries' steps, in the order of the entries."""
    found = steps(entries)
    claims = [(a, b) for a, b in found if _is_claim(a) and _is_claim(b)]
    noise = claimed_noise(claims)
    built = BuiltPairs(noise=noise if rules.claimed and claims else None)
    seen: set[str] = set()
    for before, after in found:
        outcome, gain = step_outcome(before, after, facts, rules, noise)
        sides = facts[_place(before)], facts[_place(after)]
        name = content_id(before.task, before.candidate_id, after.candidate_id)
        if outcome in _PAIRS and name in seen:
            outcome = StepOutcome.REPEATED
        built.outcomes[outcome] += 1
        if outcome in _PAIRS:
            seen.add(name)
            built.pairs.append(_pair(after, sides, (outcome, gain), (groups[after.task], rules)))
    return built


def step_outcome(
    before: Graded,
    after: Graded,
    facts: Mapping[Place, SideFacts],
    rules: PairRules,
    noise: float,
) -> tuple[StepOutcome, Gain | None]:
    """What one step was, with the gain where both sides work."""
    if before.candidate_id == after.candidate_id:
        return StepOutcome.SAME_SOURCE, None
    if _is_claim(before) and _is_claim(after):
        if not rules.claimed:
            return StepOutcome.CLAIMED, None
        works = _claims(before), _claims(after)
        gain = claimed_gain(before, after, noise)
    else:
        works = _works(before), _works(after)
        same = _conditions(before, facts) == _conditions(after, facts)
        gain = judged_gain(before, after) if same else None
    if works == (True, True):
        return _of_gain(gain), gain
    named = {
        (False, True): StepOutcome.ERROR_CORRECTION,
        (True, False): StepOutcome.BROKEN,
        (False, False): StepOutcome.STILL_FAILING,
    }
    return next((o for key, o in named.items() if key == works), StepOutcome.UNDECIDED), None


def _of_gain(gain: Gain | None) -> StepOutcome:
    if gain is None:
        return StepOutcome.NOT_COMPARABLE
    if gain.low > 1:
        return StepOutcome.OPTIMISATION
    return StepOutcome.SLOWER if gain.high < 1 else StepOutcome.WITHIN_NOISE


def _works(one: Graded) -> bool | None:
    if one.accepted:
        return True
    return False if one.status in _OWN_FAILURES else None


def _claims(one: Graded) -> bool | None:
    return one.provenance.claimed.works if one.provenance.claimed else None


def _is_claim(one: Graded) -> bool:
    """Nobody but its source says how it went."""
    return one.status is None and one.provenance.claimed is not None


def _conditions(one: Graded, facts: Mapping[Place, SideFacts]) -> str:
    return facts[_place(one)].side.conditions


def _place(one: Graded) -> Place:
    return one.run, one.number


def _pair(
    after: Graded,
    sides: tuple[SideFacts, SideFacts],
    found: tuple[StepOutcome, Gain | None],
    placed: tuple[str, PairRules],
) -> TrainingPair:
    first, last = sides
    group, rules = placed
    claimed = last.side.claimed
    held = is_held_out(group, rules.held_out, rules.seed)
    return TrainingPair(
        id=content_id(after.task, first.side.candidate_id, last.side.candidate_id),
        kind=found[0],
        claimed=claimed is not None,
        split=Split.HELD_OUT if held else Split.TRAIN,
        task=after.task,
        task_group=group,
        task_source=last.task.source,
        task_entry=last.task.entry,
        generator=after.generator,
        model=last.model,
        device=claimed.device if claimed else after.device,
        evaluator=last.evaluator,
        level=last.level,
        track=last.track,
        gain=found[1],
        tokens=after.tokens,
        before=first.side,
        after=last.side,
    )


def split_of(pairs: Sequence[TrainingPair], split: Split) -> Iterator[TrainingPair]:
    """Those of one set."""
    return (one for one in pairs if one.split is split)
