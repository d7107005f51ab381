"""One verdict on a terminal, in about eight lines.

The rule: the worst comes first, the sentence with the verdict last, and what is left out is
counted. Evidence always names its place where it has one.
"""

from __future__ import annotations

import math

from rich.console import Console, Group, RenderableType
from rich.text import Text

from assay.data.evidence import Evidence, Severity
from assay.data.scoring.rubric import Rubric
from assay.data.settings import Level
from assay.data.verdict import Outcome, Verdict, WorkloadOutcome
from assay.report import colours, words
from assay.report.explanation_text import explanation_parts
from assay.report.shape_table import shape_parts
from assay.report.terminal_layout import Columns, indented

_ROWS = 4
_EVIDENCE = 6
_SEVERITY_ORDER = (Severity.CONVICTS, Severity.SUSPICIOUS, Severity.NOTE)


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Everything a person needs about one candidate."""
    console.print(verdict_block(verdict))


def verdict_block(verdict: Verdict) -> Group:
    """Heading, workloads, evidence, time, and the verdict in one sentence."""
    parts: list[RenderableType] = [_heading(verdict)]
    if verdict.workloads:
        parts.append(_workload_table(verdict.workloads))
    parts += [indented(line) for line in _evidence_lines(_beside_reason(verdict))]
    if verdict.coverage and verdict.coverage.answered < verdict.coverage.asked:
        parts.append(indented(Text(words.coverage(verdict.coverage))))
    if verdict.explanation is not None:
        parts += explanation_parts(verdict.explanation)
    parts.append(indented(_time_line(verdict)))
    parts += [indented(line) for line in _remark_lines(verdict)]
    parts += shape_parts(verdict)
    if verdict.rubric is not None and verdict.rubric.line:
        parts.append(indented(rubric_line(verdict.rubric)))
    parts += [indented(Text(remark, style="yellow")) for remark in verdict.task_remarks]
    if verdict.level is Level.SMOKE and verdict.left_out:
        parts.append(indented(Text(f"left out: {'; '.join(verdict.left_out)}", style="dim")))
    parts.append(_verdict_line(verdict))
    return Group(*parts)


def worst_first(rows: tuple[WorkloadOutcome, ...]) -> list[WorkloadOutcome]:
    """Failures, then successes, then what was not run; the larger share of the budget first."""

    def weight(row: WorkloadOutcome) -> tuple[int, float]:
        unmeasured = math.inf if row.outcome is not Outcome.OK else -1.0
        share = unmeasured if row.error_budget_used is None else row.error_budget_used
        return ({Outcome.OK: 1, Outcome.NOT_RUN: 2}.get(row.outcome, 0), -share)

    return sorted(rows, key=weight)


def _heading(verdict: Verdict) -> Text:
    machine = verdict.environment.device
    clock = f", {machine.clock_mhz_max:.0f} MHz" if machine.clock_mhz_max else ""
    return Text.assemble(
        (verdict.task, "bold"),
        "  ",
        (verdict.candidate, "bold"),
        f"  {verdict.candidate_id}\n",
        (
            f"on {verdict.device}: {machine.name}, {verdict.environment.threads} threads{clock}; "
            f"level {verdict.level.value}, track {verdict.track.value}",
            "dim",
        ),
    )


def _workload_table(rows: tuple[WorkloadOutcome, ...]) -> Columns:
    """The worst rows in full, the rest as one line a kind of outcome."""
    table = Columns(indent=2)
    ordered = worst_first(rows)
    shown = ordered if len(ordered) <= _ROWS + 1 else ordered[:_ROWS]
    for row in shown:
        table.add_row(
            Text(row.outcome.value, style=colours.OUTCOME[row.outcome]),
            words.workload(row),
            f"{words.budget_share(row.error_budget_used)} of its error budget"
            if row.error_budget_used is not None
            else "",
        )
    rest = ordered[len(shown) :]
    for outcome in Outcome:
        count = sum(row.outcome is outcome for row in rest)
        if count:
            table.add_row(
                Text(f"+{count} more {outcome.value}", style=colours.OUTCOME[outcome]), "", ""
            )
    return table


def _deciding(verdict: Verdict) -> Evidence | None:
    """The finding that the verdict's reason repeats word for word."""
    for item in verdict.evidence:
        if verdict.reason == (f"{item.where}: {item.text}" if item.where else item.text):
            return item
    return None


def _beside_reason(verdict: Verdict) -> tuple[Evidence, ...]:
    """Findings that the closing sentence does not tell in full."""
    deciding = _deciding(verdict)
    return tuple(item for item in verdict.evidence if item is not deciding)


def _closing(verdict: Verdict) -> str:
    """The reason, with the kind of the finding that holds it."""
    deciding = _deciding(verdict)
    if deciding is not None:
        return f"{deciding.kind.value}: {verdict.reason}"
    for item in verdict.evidence:
        lines = [f"{item.where}: {line}" if item.where else line for line in item.text.splitlines()]
        if verdict.reason in lines:
            return f"{item.kind.value}: {verdict.reason}"
    return verdict.reason


def _evidence_lines(evidence: tuple[Evidence, ...]) -> list[Text]:
    ordered = sorted(evidence, key=lambda item: _SEVERITY_ORDER.index(item.severity))
    lines = [evidence_line(item) for item in ordered[:_EVIDENCE]]
    if len(ordered) > _EVIDENCE:
        lines.append(Text(f"+{len(ordered) - _EVIDENCE} more findings (--json shows all)", "dim"))
    return lines


def evidence_line(item: Evidence) -> Text:
    """Weight and kind, place, sentence."""
    return Text.assemble(
        (f"{item.severity.value} {item.kind.value}", colours.SEVERITY[item.severity]),
        "  ",
        (f"{item.where}: " if item.where else "", "bold"),
        item.text,
    )


def _time_line(verdict: Verdict) -> Text:
    if not verdict.timing:
        return Text(f"not timed: {verdict.timing_reason or 'no reason was given'}", style="dim")
    several = len({timing.baseline for timing in verdict.timing}) < len(verdict.timing)
    parts = [
        words.speedup(timing) + (f" ({timing.cache})" if several else "")
        for timing in verdict.timing
    ]
    parts.append(words.light(verdict.limits) if verdict.limits else "")
    return Text("; ".join(part for part in parts if part))


def rubric_line(rubric: Rubric) -> Text:
    """The five levels; below them what is present and badly used."""
    text = Text(f"rubric {rubric.line}", style="dim")
    for remark in rubric.remarks:
        text.append(f"\n{remark}", style="yellow")
    return text


def _remark_lines(verdict: Verdict) -> list[Text]:
    """What to know of the times, each remark once."""
    said = dict.fromkeys(r for timing in verdict.timing or () for r in timing.remarks)
    if verdict.timing and verdict.timing_reason:
        said[f"not compared with {verdict.timing_reason}"] = None
    return [Text(remark, style="yellow") for remark in said]


def _verdict_line(verdict: Verdict) -> Text:
    return Text.assemble(
        (verdict.status.value, f"bold {colours.STATUS[verdict.status]}"),
        "  right ",
        (verdict.correct.value, colours.ANSWER[verdict.correct.value]),
        ", honest ",
        (verdict.honest.value, colours.ANSWER[verdict.honest.value]),
        f". {_closing(verdict)} ",
        (f"({verdict.elapsed_s:.1f} s)", "dim"),
    )
