"""The page of a search: its best so far, lineage and decisions, from what the judge found."""

from __future__ import annotations

from pathlib import Path

from assay.data.generation.budget import Budget
from assay.data.settings import Settings
from assay.report.html.gathered_report import of_run
from assay.report.html.report_page import report_page
from assay.report.html.search_section import ReportSearch, search_section
from assay.workbench.search_results import search_results
from workbench.scripted_search import RUN, ScriptedSearch, plan_of

SCRIPT = ("accepted 2", "none", "dishonest 9", "accepted 1.5", "accepted 60", "accepted 3")


def section(folder: Path) -> ReportSearch:
    log = ScriptedSearch(folder, SCRIPT, plan_of(budget=Budget(trials=5))).go()
    return search_section(log.plan, log.state(), log.events, search_results(log))


def test_the_best_so_far_grows_by_what_counts_alone(tmp_path: Path) -> None:
    found = section(tmp_path)
    assert [one.best for one in found.attempts] == [1.9, 1.9, 1.9, 1.9, 1.9, 2.8499999999999996]
    assert [one.status for one in found.attempts][1:3] == ["no candidate", "dishonest"]
    assert found.attempts[4].below_limit and found.attempts[5].made_from == (0,)
    assert found.attempts[0].entry == 0 and found.attempts[1].entry is None
    assert found.attempts[5].limit_share is not None
    named = [(one.decision, one.attempt) for one in found.decisions]
    assert ("quarantine", 4) in named and ("winner", 5) in named
    assert found.results[0].winner and found.results[0].best is not None
    assert found.results[0].best.source == ""


def test_the_page_holds_it_and_no_claim(tmp_path: Path) -> None:
    found = section(tmp_path)
    run = RUN.model_copy(update={"settings": Settings()})
    data = of_run(run, [], "RUN").model_copy(update={"search": found})
    text = report_page(data)
    assert "searchPage" in text and '"strategy":"one-by-one"' in text.replace(" ", "")
    assert "scripted" in text and "because" not in repr(found)
