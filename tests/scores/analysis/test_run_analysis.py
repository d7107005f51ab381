"""Categories, devices and costs, each with its denominator."""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.data.verdict import Status
from assay.scores.analysis.category_failures import category_failures
from assay.scores.analysis.hardware_spread import hardware_spread
from assay.scores.analysis.pareto import pareto
from assay.scores.analysis.run_analysis import run_analysis
from assay.scores.graded import GradedTask
from assay.scores.grouped import groups
from graded_samples import entry

WRONG = Status.INCORRECT


def test_unsolved_tasks_come_first_with_their_evidence() -> None:
    tasks = [GradedTask("a", "Math"), GradedTask("b", "Fusion"), GradedTask("c", "Fusion")]
    entries = [
        entry("a"),
        entry("b", status=WRONG, evidence=("wrong_value", "memo")),
        entry("b", status=WRONG, evidence=("wrong_value",)),
    ]
    fusion, math = category_failures(tasks, entries)
    assert (fusion.category, fusion.unsolved, fusion.tasks) == ("Fusion", 2, 2)
    assert fusion.evidence == {"wrong_value": 2, "memo": 1}
    assert (math.unsolved, math.accepted, math.candidates) == (0, 1, 1)


def test_the_spread_is_across_devices_of_one_generator() -> None:
    entries = [entry("a", 4.0), entry("a", 0.5, device="other"), entry("b", 1.0)]
    (one,) = hardware_spread(entries)
    assert (one.task, one.spread) == ("a", 8.0)


def test_a_generator_that_costs_more_and_solves_less_is_not_on_the_front() -> None:
    tasks = [GradedTask("a"), GradedTask("b")]
    entries = [
        entry("a", 2.0, cost_usd=1.0),
        entry("b", cost_usd=1.0, status=WRONG),
        entry("a", 2.0, cost_usd=5.0, generator="H"),
        entry("b", 2.0, cost_usd=5.0, generator="H"),
        entry("a", 2.0, cost_usd=9.0, generator="I"),
    ]
    points = pareto(groups(tasks, entries))
    assert [(p.generator, p.cost, p.solved, p.on_front) for p in points] == [
        ("G", 1.0, 0.5, True),
        ("H", 5.0, 1.0, True),
        ("I", 9.0, 0.5, False),
    ]
    assert pareto(groups(tasks, [entry("a")])) == ()


def test_everything_together_leaves_out_what_proves_nothing() -> None:
    source = SourceFile(path="k.py", text="def f(x):\n    return x if x else 0\n")
    candidate = Candidate(name="k.py", language="torch", sources=(source,))
    entries = [entry("a", 0.5), entry("b", 3.0, remarks=("zeros pass it",))]
    tasks = [GradedTask("a"), GradedTask("b")]
    found = run_analysis(["r"], tasks, entries, {candidate.id: candidate})
    assert (found.candidates, found.accepted, found.timed, found.slower) == (1, 1, 1, 1)
    (code,) = found.code
    assert code.complexity_max == 2 and code.python_lines == 2
