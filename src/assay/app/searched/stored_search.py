"""A search as its report shows it, from what is stored of it."""

from __future__ import annotations

from assay.data.run import Run
from assay.report.html.search_section import ReportSearch, search_section
from assay.store.run_store import RunStore
from assay.workbench.search_log import SearchLog, stored_plan
from assay.workbench.search_results import search_results


def stored_search(store: RunStore, run: Run) -> ReportSearch | None:
    """None where the run is no search."""
    plan = stored_plan(store, run)
    if plan is None:
        return None
    log = SearchLog(store, run, plan)
    return search_section(plan, log.state(), log.events, search_results(log))
