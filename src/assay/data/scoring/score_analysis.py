"""Score analysis: what explains the figures of some runs: causes, rounds, costs, devices.

The rule: every share names what it is a share of, and what could not be computed says why.
"""

from __future__ import annotations

from pydantic import Field

from assay.data.record import SCHEMA_VERSION, Record


class Factor(Record):
    """How much of the deviance of correctness one cause explains."""

    name: str  # category, method or difficulty
    levels: int  # values it takes, or the number of numeric columns
    alone: float | None  # share of the null deviance, with this cause only
    low: float | None = None
    high: float | None = None
    added: float | None = None  # joint share less that of all the other causes
    by_chance: float | None = None  # mean share after its labels were shuffled
    p: float | None = None  # how often shuffled labels explain as much
    effects: dict[str, float] = Field(default_factory=dict)  # log odds of each level or column


class Attribution(Record):
    """A logistic model of acceptance, penalised against separation."""

    candidates: int
    accepted: int
    tasks: int
    penalty: float
    factors: tuple[Factor, ...] = ()
    joint: float | None = None
    joint_low: float | None = None
    joint_high: float | None = None
    reason: str = ""  # why there is no model


class Transitions(Record):
    """Where candidates of one round went in the next: counts by state before and after."""

    from_round: int
    to_round: int
    chains: int
    counts: dict[str, dict[str, int]]


class RepairBias(Record):
    """Speedups of kernels that a later round rescued, against those right from the start."""

    rescued: int
    steady: int
    rescued_speedup: float | None = None  # geometric means
    steady_speedup: float | None = None
    ratio: float | None = None  # rescued over steady
    p: float | None = None  # Mann-Whitney
    reason: str = ""


class CategoryFailures(Record):
    """How one category of tasks fails."""

    category: str
    tasks: int
    unsolved: int  # tasks that nobody solved
    candidates: int
    accepted: int
    statuses: dict[str, int]
    evidence: dict[str, int]  # candidates with each kind of evidence, the most frequent first


class HardwareSpread(Record):
    """The speedup of one generator's kernel of one task, across devices."""

    generator: str
    task: str
    speedups: dict[str, float]  # by device
    spread: float  # largest over smallest


class ParetoPoint(Record):
    """What a generator costs and what it solves; on the front no other is cheaper and better."""

    generator: str
    device: str
    cost: float  # per task tried
    unit: str  # dollars, tokens or generator_seconds
    solved: float  # share of tasks
    faster: float | None  # share of tasks solved and faster than the baseline
    tasks: int
    on_front: bool


class CodeMeasures(Record):
    """The source of one candidate, alone."""

    candidate_id: str
    accepted: bool
    python_lines: int
    maintainability: float | None  # 0 to 100, radon's index
    complexity_mean: float | None  # cyclomatic, over functions and classes
    complexity_max: int | None
    native_tokens: int  # of C++ and CUDA
    native_volume: float | None  # Halstead: tokens x log2(distinct tokens)
    native_branches: int | None
    reason: str = ""  # why something is missing


class ClaimedGains(Record):
    """What one source claims of rounds, and how much of it is more than noise."""

    source: str
    candidates: int  # with a claim of the source and no verdict
    steps: int  # of those with a predecessor
    corrections: int  # steps from one said to fail to one said to work
    gains: int  # steps between two said to work, with a larger figure after
    within_noise: int  # of those gains
    same_source: int  # of those gains: nothing was changed between the two
    same_source_spread: float | None  # largest difference of two claims about one source, less one
    noise: float  # a gain of less than this, less one, counts as noise


class Analysis(Record):
    """Everything `assay analyse` finds in some runs."""

    schema_version: int = SCHEMA_VERSION
    runs: tuple[str, ...]
    candidates: int
    accepted: int
    timed: int  # accepted and timed
    slower: int  # of those, with a speedup below 1
    attribution: Attribution
    transitions: tuple[Transitions, ...]
    repair_bias: RepairBias
    categories: tuple[CategoryFailures, ...]
    hardware: tuple[HardwareSpread, ...]
    pareto: tuple[ParetoPoint, ...]
    code: tuple[CodeMeasures, ...]
    claims: tuple[ClaimedGains, ...] = ()  # of imported runs, one a source


class CostForecast(Record):
    """What a budget buys of one generator, resampled from what it did."""

    schema_version: int = SCHEMA_VERSION
    generator: str
    device: str
    budget: dict[str, float]
    suite: str = ""  # whose tasks are to be solved; empty: tasks like those of the run
    tasks: int
    successes: float | None = None
    successes_low: float | None = None
    successes_high: float | None = None
    tried: float | None = None  # tasks begun before the budget is spent
    seconds: float | None = None  # generating and judging, one after the other; None: not stated
    seconds_low: float | None = None
    seconds_high: float | None = None
    binding: str = ""  # what runs out first, most often; empty where nothing does
    made_from: str = ""
    reason: str = ""


class TaskDifference(Record):
    """One task on which two runs differ beyond chance, all tasks considered."""

    task: str
    what: str  # accepted or speedup
    first: float
    second: float
    p: float  # after Holm's correction


class PairedComparison(Record):
    """Two runs or generators, paired over tasks."""

    schema_version: int = SCHEMA_VERSION
    first: str
    second: str
    tasks: int
    both: int  # solved by both
    only_first: int
    only_second: int
    neither: int
    p_solved: float  # exact McNemar
    timed: int  # tasks that both solve and time
    ratio: float | None = None  # of the second's speedup over the first's, geometric mean
    ratio_low: float | None = None
    ratio_high: float | None = None
    p_speedup: float | None = None  # Wilcoxon signed-rank of the logarithms
    differences: tuple[TaskDifference, ...] = ()
    sentence: str
