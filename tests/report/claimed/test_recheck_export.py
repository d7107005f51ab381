"""Claims as Markdown, CSV and a terminal's table: other people's words stay text."""

from __future__ import annotations

import csv
import io

from rich.console import Console

from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark, Recheck
from assay.report.claimed.recheck_export import COLUMNS, recheck_csv, recheck_markdown
from assay.report.claimed.recheck_table import claimed_words, recheck_table, tally_of

EVIL = "=1+1|<script>[x](http://a)"


def row(mark: ClaimMark, text: str = "why", **figures: object) -> Recheck:
    told = {"number": 1, "where": "a.csv:2", "task": "softmax", "candidate": EVIL} | figures
    finding = ClaimFinding(mark=mark, text=text)
    claim = Claim.model_validate(told)
    return Recheck(claim=claim, mark=mark, reason=text, findings=(finding,))


def test_no_cell_is_markup_or_a_formula() -> None:
    found = [row(ClaimMark.CHEAT, EVIL)]
    text = recheck_markdown(found, EVIL)
    assert "<script" not in text and "](" not in text
    assert all(line.count("|") == 7 for line in text.splitlines() if line.startswith("|"))
    (cells,) = csv.DictReader(io.StringIO(recheck_csv(found)))
    assert list(cells) == COLUMNS and cells["candidate"] == f"'{EVIL}" == cells["reason"]


def test_figures_in_words() -> None:
    figures = {"speedup": 119.9, "bytes_per_s": 83_972e9, "flops_per_s": 2.5e12, "time_us": 12.0}
    words = claimed_words(row(ClaimMark.UNKNOWN, **figures, device="RTX 5090").claim)
    assert words == "120x, 12.0 us, 83,972 GB/s, 2.5 TFLOP/s, on RTX 5090"
    assert claimed_words(row(ClaimMark.UNKNOWN).claim) == "-"
    assert claimed_words(row(ClaimMark.UNKNOWN, correct=False).claim) == "not correct"


def test_counts_have_their_denominator() -> None:
    found = [row(ClaimMark.CONFIRMED), row(ClaimMark.CHEAT), row(ClaimMark.CHEAT)]
    assert tally_of(found) == "1 confirmed, 2 cheat of 3 claims"
    out = io.StringIO()
    Console(file=out, width=200).print(recheck_table(found))
    assert out.getvalue().count(EVIL) == 3 and "2 cheat of 3 claims" in out.getvalue()
