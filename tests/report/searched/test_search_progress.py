"""The live view of a search, and its words."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from assay.data.generation.budget import Budget, Spend
from assay.data.run import Entry
from assay.data.verdict import Status
from assay.report.searched.search_progress import SearchProgress
from assay.report.searched.search_table import search_table
from assay.report.searched.search_words import spend_text
from assay.workbench.search_results import search_results
from sample_records import TASK, candidate, verdict
from workbench.scripted_search import ScriptedSearch, plan_of

SCRIPT = ("accepted 2", "incorrect", "accepted 60", "none")


def test_a_terminal_shows_spend_best_and_lineage_and_then_a_summary(tmp_path: Path) -> None:
    log = ScriptedSearch(tmp_path, SCRIPT, plan_of(budget=Budget(trials=3), patience=1)).go()
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100, color_system=None)
    progress = SearchProgress(console)
    with progress:
        progress.state(log.state())
    text = out.getvalue()
    assert "3 trials of 3" in text and "2.00x [1.90 2.10]  20% of the limit" in text
    assert "#1 optimise of #0, scripted  incorrect" in text and "below the limit" in text
    assert "Searched for" in text.splitlines()[-1]


def test_a_pipe_gets_a_line_for_each_verdict() -> None:
    out = io.StringIO()
    with SearchProgress(Console(file=out, width=200)) as progress:
        entry = Entry(number=0, task=TASK, candidate=candidate("softmax/x-0000"))
        progress.judged(entry, verdict(Status.INCORRECT))
    assert "softmax/x-0000: incorrect: It is incorrect." in out.getvalue()


def test_only_a_confirmed_winner_is_named(tmp_path: Path) -> None:
    plan = plan_of(budget=Budget(trials=1))
    log = ScriptedSearch(tmp_path, ("accepted 2/incorrect",), plan).go()
    out = io.StringIO()
    Console(file=out, width=200).print(search_table(search_results(log)))
    assert "2.00x" in out.getvalue() and "none" in out.getvalue()


def test_spend_is_said_beside_its_budget() -> None:
    spent = Spend(tokens=1200, dollars=0.5, trials=3)
    assert spend_text(spent, Budget(trials=5)) == "1,200 tokens, $0.5, 3 trials of 5"
    assert spend_text(Spend(), Budget()) == "nothing spent"
