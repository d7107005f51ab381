"""Claims beside what was measured, as Markdown and as comma-separated values.

The rule: names and reasons are other people's words. No cell is markup, and none a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from assay.data.published.recheck import Recheck
from assay.report.claimed.recheck_table import HEADINGS, claimed_words, measured_words, tally_of
from assay.report.export.csv_report import plain_cell
from assay.report.export.markdown_report import plain_text

COLUMNS = """number where task candidate device mark status claimed_correct claimed_speedup
claimed_us claimed_baseline_us claimed_gb_s claimed_tflops speedup speedup_low speedup_high
measured_us measured_baseline_us baseline measured_device reason""".split()


def recheck_markdown(found: Sequence[Recheck], title: str) -> str:
    """Counts, then one row a claim."""
    lines = [f"### {plain_text(title)}", "", f"**{tally_of(found)}**", ""]
    rows = [list(HEADINGS), ["---"] * len(HEADINGS)]
    for one in found:
        claim = one.claim
        cells = [one.mark.value, claim.task, claim.candidate or claim.where]
        cells += [claimed_words(claim), measured_words(one), one.reason]
        rows.append([plain_text(cell) for cell in cells])
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows), ""])


def recheck_csv(found: Sequence[Recheck]) -> str:
    """One row a claim, with its heading."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in found:
        row = _row(one)
        writer.writerow([plain_cell(row[name]) for name in COLUMNS])
    return out.getvalue()


def _row(one: Recheck) -> dict[str, object]:
    claim, speed = one.claim, one.measured
    return {
        "number": claim.number,
        "where": claim.where,
        "task": claim.task,
        "candidate": claim.candidate,
        "device": claim.device,
        "mark": one.mark.value,
        "status": one.status.value if one.status else None,
        "claimed_correct": claim.correct,
        "claimed_speedup": claim.speedup,
        "claimed_us": claim.time_us,
        "claimed_baseline_us": claim.baseline_us,
        "claimed_gb_s": _scaled(claim.bytes_per_s, 1e9),
        "claimed_tflops": _scaled(claim.flops_per_s, 1e12),
        "speedup": speed.speedup if speed else None,
        "speedup_low": speed.speedup_low if speed else None,
        "speedup_high": speed.speedup_high if speed else None,
        "measured_us": speed.time_us if speed else None,
        "measured_baseline_us": speed.baseline_us if speed else None,
        "baseline": speed.baseline if speed else None,
        "measured_device": speed.device if speed else None,
        "reason": one.reason,
    }


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit
