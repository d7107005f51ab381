"""A verdict of a watched file: one line with the answer, one with the first finding."""

from __future__ import annotations

from rich.text import Text

from assay.data.evidence import Severity
from assay.data.verdict import Verdict
from assay.report import colours, words
from assay.report.terminal import evidence_line

_INDENT = " " * 10


def verdict_lines(verdict: Verdict, time: str) -> list[Text]:
    """Level, status, speedup and reason; then the heaviest finding with its place."""
    speed = f"  {words.fast(verdict)} {verdict.timing[0].baseline}" if verdict.timing else ""
    head = Text.assemble(
        (time, "dim"),
        f"  {verdict.level.value:<8}  ",
        (verdict.status.value, f"bold {colours.STATUS[verdict.status]}"),
        f"{speed}  {verdict.reason} ",
        (f"({verdict.elapsed_s:.1f} s)", "dim"),
    )
    weighty = [one for one in verdict.evidence if one.severity is not Severity.NOTE]
    return [head, *(Text(_INDENT).append_text(evidence_line(one)) for one in weighty[:1])]
