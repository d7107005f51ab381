"""Analyses, forecasts and comparisons as text: each figure with what it is a share of."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.scoring.score_analysis import (
    Analysis,
    Attribution,
    CategoryFailures,
    CodeMeasures,
    CostForecast,
    PairedComparison,
    ParetoPoint,
    Transitions,
)
from assay.report.claimed.claimed_gains_text import claimed_gains_text
from assay.report.headed_table import HeadedTable
from assay.report.scored.score_table import figure

_SHOWN = 5


def analysis_text(found: Analysis) -> RenderableType:
    """Every part that has something to say; a part without data says so in one line."""
    return Group(*_parts(found))


def _parts(found: Analysis) -> Iterator[RenderableType]:
    yield from (Text(claimed_gains_text(one)) for one in found.claims)
    yield Text(f"{found.accepted} of {found.candidates} candidates are accepted")
    slower = f"{found.slower} of {found.timed} accepted and timed candidates"
    yield Text(f"{slower} are slower than the baseline")
    yield from _attribution(found.attribution)
    yield _categories(found.categories)
    for one in found.transitions:
        yield from _transitions(one)
    yield Text(_repair(found))
    yield Text(_hardware(found))
    yield from _pareto(found.pareto)
    yield Text(_code(found.code))


def _attribution(found: Attribution) -> Iterator[RenderableType]:
    if found.reason:
        yield Text(f"Attribution: {found.reason}")
        return
    words = f"of {found.candidates} candidates of {found.tasks} tasks, penalty {found.penalty:g}"
    yield Text(f"Deviance of acceptance explained ({words})")
    table = HeadedTable.of("cause", "levels", "alone", "95 %", "added", "by chance", "p")
    for one in found.factors:
        interval = f"[{figure(one.low)} {figure(one.high)}]"
        cells = [figure(value) for value in (one.added, one.by_chance, one.p)]
        table.add_row(one.name, str(one.levels), figure(one.alone), interval, *cells)
    interval = f"[{figure(found.joint_low)} {figure(found.joint_high)}]"
    table.add_row("all together", "", figure(found.joint), interval, "", "", "")
    yield table


def _categories(rows: Sequence[CategoryFailures]) -> HeadedTable:
    table = HeadedTable.of("category", "tasks unsolved", "accepted", "evidence")
    for row in rows:
        kinds = list(row.evidence.items())[:_SHOWN]
        words = ", ".join(f"{kind} {count}" for kind, count in kinds) or "-"
        unsolved = f"{row.unsolved} of {row.tasks}"
        table.add_row(row.category, unsolved, f"{row.accepted} of {row.candidates}", words)
    return table


def _transitions(found: Transitions) -> Iterator[RenderableType]:
    rounds = f"round {found.from_round} to round {found.to_round}"
    yield Text(f"From {rounds}: {found.chains} candidates with a predecessor")
    table = HeadedTable.of("from \\ to", *found.counts)
    for state, row in found.counts.items():
        table.add_row(state, *(str(count or "-") for count in row.values()))
    yield table


def _repair(found: Analysis) -> str:
    bias = found.repair_bias
    if bias.ratio is None:
        return f"Repair bias: {bias.reason}"
    return (
        f"Repair bias: {bias.rescued} rescued kernels reach {figure(bias.rescued_speedup)}x, "
        f"{bias.steady} right from the start {figure(bias.steady_speedup)}x; ratio "
        f"{figure(bias.ratio)}, Mann-Whitney p = {figure(bias.p)}"
    )


def _hardware(found: Analysis) -> str:
    if not found.hardware:
        return "Across devices: no generator has an accepted, timed kernel of a task on two devices"
    middle = statistics.median(one.spread for one in found.hardware)
    widest = found.hardware[0]
    return (
        f"Across devices: the speedup of one task differs by {figure(middle)}x in the median of "
        f"{len(found.hardware)} tasks, at most {figure(widest.spread)}x ({widest.task})"
    )


def _pareto(points: Sequence[ParetoPoint]) -> Iterator[RenderableType]:
    if not points:
        yield Text("Cost against benefit: no cost that every generator states")
        return
    table = HeadedTable.of("generator", "device", "cost per task", "solved", "faster", "")
    for one in points:
        cost = f"{figure(one.cost)} {one.unit}"
        front = "on the front" if one.on_front else ""
        cells = [f"{figure(one.solved)} of {one.tasks} tasks", figure(one.faster), front]
        table.add_row(one.generator, one.device, cost, *cells)
    yield table


def _code(rows: Sequence[CodeMeasures]) -> str:
    index = [one.maintainability for one in rows if one.maintainability is not None]
    loops = [one.complexity_mean for one in rows if one.complexity_mean is not None]
    native = [one.native_volume for one in rows if one.native_volume is not None]
    words = []
    for name, values in (
        ("maintainability index", index),
        ("cyclomatic complexity", loops),
        ("Halstead volume of C++ and CUDA", native),
    ):
        if values:
            middle = figure(statistics.median(values))
            words.append(f"{name} {middle} (median of {len(values)})")
    missing = sorted({one.reason for one in rows if one.reason})
    return "Code: " + "; ".join([*words, *missing] or ["no candidate"])


def forecast_text(found: CostForecast) -> str:
    """One sentence, and what it rests on."""
    spent = ", ".join(f"{value:g} {name}" for name, value in found.budget.items())
    which = f"{found.tasks} tasks" + (f" like those of {found.suite}" if found.suite else "")
    who = f"{found.generator} on {found.device}, {spent}, {which}: "
    if found.successes is None:
        return who + found.reason
    low, high = found.successes_low, found.successes_high
    words = f"{found.successes:.1f} [{low:.0f} {high:.0f}] successes of {found.tried:.1f} tried"
    if found.seconds is None:
        words += "; how long it takes is unknown: some candidate does not state its seconds"
    else:
        words += f" in {found.seconds:.0f} [{found.seconds_low:.0f} {found.seconds_high:.0f}] s"
    ends = f"{found.binding} run out first" if found.binding else "the budget suffices"
    return f"{who}{words}; {ends} (from {found.made_from})"


def comparison_text(found: PairedComparison) -> str:
    """The sentence, then the tasks that differ."""
    lines = [found.sentence]
    lines += [
        f"  {one.task}: {one.what} {figure(one.first)} -> {figure(one.second)}"
        f" (p = {one.p:.3g} after Holm's correction)"
        for one in found.differences
    ]
    return "\n".join(lines)
