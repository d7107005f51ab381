"""Markdown, CSV and the badge: denominators there, hostile text harmless."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

from assay.data.candidate import ClaimedResult, Provenance
from assay.report.export.badge import badge
from assay.report.export.csv_report import COLUMNS, csv_report
from assay.report.export.markdown_report import markdown_report
from assay.report.html.gathered_report import of_run
from assay.report.html.report_data import OPEN, ReportData
from synthetic_run import RUN, judged


def report(name: str = "k.py") -> ReportData:
    data = of_run(RUN, judged(tasks=2, rounds=1, workloads=2), "place")
    first, *others = data.verdicts
    renamed = first.model_copy(update={"name": name, "reason": name})
    return data.model_copy(update={"verdicts": (renamed, *others)})


def claimed_report() -> ReportData:
    """The first candidate is imported: it has a claim and no verdict."""
    data = report()
    said = ClaimedResult(source="kernelbench_x", ran=True, correct=True, speedup=3.5)
    made = Provenance(claimed=said)
    first = data.verdicts[0].model_copy(update={"status": OPEN, "timing": (), "provenance": made})
    return data.model_copy(update={"verdicts": (first, *data.verdicts[1:])})


def test_markdown_counts_with_denominators_and_lists_every_candidate() -> None:
    data = report()
    text = markdown_report(data)
    accepted = sum(verdict.status == "accepted" for verdict in data.verdicts)
    assert f"{accepted} of 6 accepted" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + 2 + 2 + 6


def test_markdown_shows_what_others_claim_beside_the_own_status() -> None:
    assert "Claimed by others" not in markdown_report(report())
    data = claimed_report()
    text = markdown_report(data)
    assert "1 of 6 candidates come with claims of their source" in text
    (row,) = [line for line in text.splitlines() if "kernelbench&#95;x" in line]
    assert "| yes | 3.50x | open |" in row
    said = ClaimedResult(source="x", ran=True)
    first = data.verdicts[0]
    bare = first.model_copy(update={"provenance": Provenance(claimed=said)})
    text = markdown_report(data.model_copy(update={"verdicts": (bare,)}))
    assert "| x | not said | not said | open |" in text


def test_markdown_escapes_names() -> None:
    text = markdown_report(report("</details><script>|[a](http://b.c)\n# @all `x` www.d.e \u202e"))
    row = next(line for line in text.splitlines() if "&#60;/details" in line)
    assert row.count("|") == 6
    assert not any(mark in row for mark in ("<", "[a]", "`", "@", "://", "www.", "# ", "\u202e"))


def test_csv_has_one_row_a_candidate_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report(report('=HYPERLINK("x")\n,y')))))
    assert len(rows) == 6 and list(rows[0]) == COLUMNS
    assert rows[0]["candidate"] == '\'=HYPERLINK("x")\n,y'
    timed = next(row for row in rows if row["status"] == "accepted")
    assert float(timed["speedup_low"]) < float(timed["speedup"]) < float(timed["speedup_high"])
    assert timed["coverage_answered"] == "18" and timed["baseline"] == "eager"


def test_the_badge_is_a_picture_with_the_denominator() -> None:
    data = report()
    accepted = sum(verdict.status == "accepted" for verdict in data.verdicts)
    picture = ElementTree.fromstring(badge(data.verdicts))
    assert picture.get("aria-label") == f"assay: {accepted} of 6 accepted"
    alone = badge([one for one in data.verdicts if one.status == "accepted"][:1])
    assert "assay: accepted" in alone and "#2a7d3f" in alone
    assert "0 of 0 accepted" in badge(())
