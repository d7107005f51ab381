"""A report as comma-separated values, one row a candidate.

The rule: a cell that a spreadsheet would read as a formula begins with an apostrophe, because names
and reasons are a candidate's words.
"""

from __future__ import annotations

import csv
import io

from assay.report.html.report_data import ReportData, ReportVerdict

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
COLUMNS = """number candidate candidate_id task generator language status correct honest
coverage_answered coverage_asked baseline speedup speedup_low speedup_high candidate_us baseline_us
sol_fraction tokens_out cost_usd round sample elapsed_s reason""".split()


def csv_report(data: ReportData) -> str:
    """The table with its heading."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for verdict in data.verdicts:
        row = _row(verdict)
        writer.writerow([plain_cell(row[name]) for name in COLUMNS])
    return out.getvalue()


def _row(verdict: ReportVerdict) -> dict[str, object]:
    timing = verdict.timing[0].model_dump() if verdict.timing else {}
    coverage, limits, made = verdict.coverage, verdict.limits, verdict.provenance
    plain = verdict.model_dump(include=set(COLUMNS))
    known = {name: plain.get(name, timing.get(name)) for name in COLUMNS}
    return known | {
        "candidate": verdict.name,
        "candidate_id": verdict.id,
        "coverage_answered": coverage.answered if coverage else None,
        "coverage_asked": coverage.asked if coverage else None,
        "sol_fraction": limits.sol_fraction if limits else None,
        "tokens_out": made.tokens_out,
        "cost_usd": made.cost_usd,
        "round": made.round,
        "sample": made.sample,
    }


def plain_cell(value: object) -> object:
    """A value as a cell that no spreadsheet computes."""
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
