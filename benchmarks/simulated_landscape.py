"""SimulatedLandscape: tasks with a known truth, on which strategies are compared without a device.

Its constants were chosen from what others published and written down before the first measurement
on it. They were not changed after it. Speeds that others reached stand for headroom: where the true
limit lies farther, there is more to gain than here.

    constant           value    where it comes from
    correct_draft      0.56     Kevin: 56 % right before training; GEAK: 52 % compile at first
    correct_change     0.69     half way from there to the 82 % of Kevin after training
    correct_repair     0.19     GEAK: 52.3 to 68.8 % in two rounds, so 19 % of the failures a round
    repaired_speed     0.73     KernelBench-X: rescued kernels 1.16x, always correct ones 1.58x
    draft_spread       0.8      of ln speedup; with the next line drafts have a mean of 1.47x
    slower_drafts      0.466    KernelBench-X: share of correct kernels that are slower than eager
    headroom           3.1      median; KernelSkill: 5.44, 2.82, 1.92x eager, geometric mean 3.1
    headroom_spread    0.6      of ln headroom, so that those three figures are within one spread
    reachable          0.89     KernelAgent: its kernels reach 89 % of the roofline on the average
    gain_chance        0.3      a choice: nobody publishes it; it varies by task from 0.1 to 0.5
    gain_share         0.5      a choice: a gain closes up to half of what is left, evenly drawn
    cheats             0.05     a choice: a third each dishonest, suspicious, below the limit
    no_candidate       0.02     a choice
    noise              0.01     of ln time; AVO's gains of 1 to 10 % need that much
    half_interval      0.02     two deviations

For memory: a family of tasks has one technique of eight that doubles the chance of a gain; the
others lower it, so that the mean is the same. A task shares its family's technique with a chance of
0.7 (a choice), its tag names the right family with a chance of 0.8 (a choice), and a generator that
is shown examples follows one of them with a chance of 0.5 (a choice).

The rule: every draw follows from the seed, the task and how many attempts the task had, so that
strategies meet the same luck. Strategies see attempts, never the truth.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from statistics import NormalDist

from assay.data.generation.action import Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import TaskState
from assay.data.record import content_id

TECHNIQUES = "vectorised tiled fused unrolled prefetched persistent split packed".split()
FAMILIES = "softmax matmul layernorm conv scan attention".split()
FAILURES = ("incorrect", "build_failed", "crashed", "timed_out")


@dataclass(frozen=True)
class LandscapeFacts:
    """The constants of the table above."""

    correct_draft: float = 0.56
    correct_change: float = 0.69
    correct_repair: float = 0.19
    repaired_speed: float = 0.73
    draft_spread: float = 0.8
    slower_drafts: float = 0.466
    headroom: float = 3.1
    headroom_spread: float = 0.6
    reachable: float = 0.89
    gain_chance: float = 0.3
    gain_share: float = 0.5
    cheats: float = 0.05
    no_candidate: float = 0.02
    noise: float = 0.01
    half_interval: float = 0.02
    technique_helps: float = 2.0
    technique_shared: float = 0.7
    tag_right: float = 0.8
    follows_example: float = 0.5


@dataclass(frozen=True)
class HiddenTask:
    """What is true of a task."""

    name: str
    tag: str
    family: str
    technique: str
    headroom: float
    reachable: float  # the speedup that no honest kernel passes
    gain_chance: float
    ease: float  # added to the log-odds of being right


@dataclass(frozen=True)
class HiddenKernel:
    """What is true of a candidate."""

    speedup: float  # nought where it is wrong or a cheat
    technique: str
    cheat: bool = False


@dataclass
class SimulatedLandscape:
    """Tasks, and a generator that answers asks; the truth of what it made is kept here."""

    seed: int
    count: int
    facts: LandscapeFacts = field(default_factory=LandscapeFacts)
    kernels: dict[str, HiddenKernel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tasks = {one.name: one for one in map(self._task, range(self.count))}

    def begin(self) -> tuple[TaskState, ...]:
        """The tasks before anything was asked."""
        return tuple(
            TaskState(
                task=one.name,
                title=f"{one.family} of rows",
                tags=(f"family:{one.tag}",),
                sol_us=100.0,
                baseline_us=100.0 * one.headroom,
            )
            for one in self.tasks.values()
        )

    def answer(self, ask: Ask, number: int, task: TaskState) -> Attempt:
        """What comes of an ask."""
        chance = random.Random(f"{self.seed}:{ask.task}:{len(task.attempts)}:answer")
        hidden = self.tasks[ask.task]
        plain = Attempt(
            number=number,
            task=ask.task,
            candidate="",
            parents=ask.parents,
            move=ask.move,
            generator=ask.generator,
            labels=ask.labels,
            sol_us=100.0,
            bottleneck="memory" if hidden.headroom < 3 else "latency",
            spent=Spend(tokens=4000, seconds=90.0, trials=1),
        )
        if chance.random() < self.facts.no_candidate:
            return plain.model_copy(
                update={
                    "reason": "no code in the answer",
                    "spent": Spend(tokens=4000, seconds=90.0),
                }
            )
        technique = self._technique(ask, chance)
        plain = plain.model_copy(
            update={
                "candidate": content_id(
                    str(self.seed), ask.task, str(len(task.attempts)), technique
                ),
                "source": f"def forward(x):  # {technique}\n    return torch.{hidden.family}(x)\n",
            }
        )
        if chance.random() < self.facts.cheats:
            return self._cheat(plain, hidden, technique, chance)
        if chance.random() > self._right(ask.move, hidden):
            self.kernels[plain.candidate] = HiddenKernel(0.0, technique)
            status = chance.choice(FAILURES)
            return plain.model_copy(update={"status": status, "reason": f"{status} at shape 17"})
        speedup = self._speedup(ask, hidden, technique, chance)
        self.kernels[plain.candidate] = HiddenKernel(speedup, technique)
        return self._measured(plain, speedup, hidden, chance)

    def true_speedup(self, candidate: str) -> float:
        """Of a candidate; nought for a wrong one, a cheat and none at all."""
        found = self.kernels.get(candidate)
        return found.speedup if found is not None else 0.0

    def is_cheat(self, candidate: str) -> bool:
        """Whether it was made to look fast."""
        found = self.kernels.get(candidate)
        return found is not None and found.cheat

    def _task(self, place: int) -> HiddenTask:
        facts, chance = self.facts, random.Random(f"{self.seed}:{place}:task")
        family = FAMILIES[place % len(FAMILIES)]
        shared = random.Random(f"{self.seed}:{family}").choice(TECHNIQUES)
        same = chance.random() < facts.technique_shared
        right_tag = chance.random() < facts.tag_right
        headroom = max(1.1, facts.headroom * math.exp(chance.gauss(0, facts.headroom_spread)))
        spread = min(facts.reachable, 1 - facts.reachable) / 2
        share = min(0.99, max(0.5, chance.gauss(facts.reachable, spread)))
        return HiddenTask(
            name=f"{family}_{place:02}",
            tag=family if right_tag else chance.choice(FAMILIES),
            family=family,
            technique=shared if same else chance.choice(TECHNIQUES),
            headroom=headroom,
            reachable=max(1.0, headroom * share),
            gain_chance=chance.uniform(facts.gain_chance - 0.2, facts.gain_chance + 0.2),
            ease=chance.gauss(0, 0.8),
        )

    def _technique(self, ask: Ask, chance: random.Random) -> str:
        """One at random, or that of an example."""
        own, follows = chance.choice(TECHNIQUES), chance.random() < self.facts.follows_example
        place = chance.random()
        examples = [self.kernels[one].technique for one in ask.shown if one in self.kernels]
        return examples[int(place * len(examples))] if examples and follows else own

    def _right(self, move: Move, hidden: HiddenTask) -> float:
        """The chance that an honest candidate is right."""
        usual = {Move.DRAFT: self.facts.correct_draft, Move.REPAIR: self.facts.correct_repair}
        share = usual.get(move, self.facts.correct_change)
        return 1 / (1 + math.exp(-math.log(share / (1 - share)) - hidden.ease))

    def _speedup(
        self, ask: Ask, hidden: HiddenTask, technique: str, chance: random.Random
    ) -> float:
        """The true speed of a right candidate."""
        parents = [self.true_speedup(one) for one in ask.parents]
        start = max(parents, default=0.0)
        if start <= 0.0:  # a draft, or the repair of a failure
            middle = -NormalDist(0, self.facts.draft_spread).inv_cdf(self.facts.slower_drafts)
            drawn = math.exp(chance.gauss(middle, self.facts.draft_spread))
            drawn *= self.facts.repaired_speed if ask.move is Move.REPAIR else 1.0
            return min(drawn, hidden.reachable * chance.uniform(0.8, 1.0))
        left = math.log(max(1.0, hidden.reachable / start))
        helps = self.facts.technique_helps
        others = (len(TECHNIQUES) - helps) / (len(TECHNIQUES) - 1)
        factor = helps if technique == hidden.technique else others
        if chance.random() < hidden.gain_chance * factor:
            return start * math.exp(left * chance.uniform(0, self.facts.gain_share))
        return start * math.exp(-abs(chance.gauss(0, 0.15)))

    def _measured(
        self, plain: Attempt, speedup: float, hidden: HiddenTask, chance: random.Random
    ) -> Attempt:
        seen = speedup * math.exp(chance.gauss(0, self.facts.noise))
        half = self.facts.half_interval
        return plain.model_copy(
            update={
                "status": "accepted",
                "speedup": seen,
                "speedup_low": seen * (1 - half),
                "speedup_high": seen * (1 + half),
                "latency_us": 100.0 * hidden.headroom / seen,
            }
        )

    def _cheat(
        self, plain: Attempt, hidden: HiddenTask, technique: str, chance: random.Random
    ) -> Attempt:
        """Fast to look at. Its figures stay in the record, so that a strategy could fall for it."""
        self.kernels[plain.candidate] = HiddenKernel(0.0, technique, cheat=True)
        kind = chance.choice(("dishonest", "suspicious", "below the limit"))
        fast = self._measured(plain, hidden.headroom * chance.uniform(1.5, 10), hidden, chance)
        if kind == "below the limit":
            return fast.model_copy(update={"below_limit": True})
        return fast.model_copy(update={"status": kind, "reason": f"{kind}: answers are remembered"})
