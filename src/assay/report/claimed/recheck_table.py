"""Claims beside what was measured, on a terminal: one row a claim, and the counts below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from assay.data.published.recheck import Claim, ClaimMark, Recheck
from assay.report.terminal_layout import Columns
from assay.report.words import microseconds

_COLOURS = {
    ClaimMark.CONFIRMED: "green",
    ClaimMark.UNDERSTATED: "green",
    ClaimMark.NOISE: "yellow",
    ClaimMark.UNKNOWN: "yellow",
    ClaimMark.DOUBTFUL: "yellow",
}
HEADINGS = ("mark", "task", "candidate", "claimed", "measured", "why")


def recheck_table(found: Sequence[Recheck]) -> Group:
    """One row a claim; the reasons stand whole."""
    table = Columns(HEADINGS)
    for one in found:
        colour = _COLOURS.get(one.mark, "red")
        cells = (one.claim.task or "-", one.claim.candidate or one.claim.where)
        mark = Text(one.mark.value, style=colour)
        table.add_row(mark, *cells, claimed_words(one.claim), measured_words(one), one.reason)
    return Group(table, Text(tally_of(found), style="bold"))


def claimed_words(claim: Claim) -> str:
    """Every figure of a claim."""
    said = []
    if claim.correct is False:
        said.append("not correct")
    if claim.speedup is not None:
        said.append(f"{claim.speedup:.3g}x")
    if claim.time_us is not None:
        said.append(microseconds(claim.time_us))
    if claim.bytes_per_s is not None:
        said.append(f"{claim.bytes_per_s / 1e9:,.0f} GB/s")
    if claim.flops_per_s is not None:
        said.append(f"{claim.flops_per_s / 1e12:,.4g} TFLOP/s")
    if claim.device:
        said.append(f"on {claim.device}")
    return ", ".join(said) or "-"


def measured_words(one: Recheck) -> str:
    """The verdict's status, and speed where that was measured."""
    if one.status is None:
        return "unknown"
    if one.measured is None:
        return one.status.value
    speed = one.measured
    ratio = f"{speed.speedup:.2f}x [{speed.speedup_low:.2f} {speed.speedup_high:.2f}]"
    return f"{one.status.value}, {ratio}, {microseconds(speed.time_us)}"


def tally_of(found: Sequence[Recheck]) -> str:
    """How many of each mark, the best first, with the denominator."""
    counts = Counter(one.mark for one in found)
    parts = [f"{counts[mark]} {mark.value}" for mark in reversed(ClaimMark) if counts[mark]]
    return f"{', '.join(parts) or 'no claims'} of {len(found)} claims"
