"""`assay recheck`: someone's claims about kernels, beside what is measured.

The rule: a recheck is a stored run plus the claims, so the same command goes on where it was
stopped. Every claim gets an answer; one that could not be checked is `unknown`, never right.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from assay.app.flag_settings import note, settings_from
from assay.app.published.publish_flags import RecheckFlags
from assay.app.report_files import write_html, write_text
from assay.app.stored.judged_run import RunOutput, judge_open, the_run
from assay.app.suite.asked_tasks import asked_tasks
from assay.data.published.recheck import RECHECK_EVENT, ClaimMark, Recheck
from assay.data.run import Run, RunEvent
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.devices import device_registry
from assay.engine.claims.claim_columns import unknown_columns
from assay.engine.claims.claim_findings import ClaimChecker
from assay.engine.claims.claim_list import ClaimList, ReadClaim, claims_at
from assay.errors import UsageError
from assay.report.claimed.recheck_export import recheck_csv, recheck_markdown
from assay.report.claimed.recheck_table import recheck_table
from assay.report.console import result_console
from assay.report.html.gathered_report import claims_alone, of_run
from assay.report.html.report_data import ReportData
from assay.store.run_store import RunStore

_BEYOND = (ClaimMark.IMPOSSIBLE, ClaimMark.DOUBTFUL)


def run(flags: RecheckFlags) -> int:
    """Read the claims, judge what can be judged, and say what became of each."""
    settings = settings_from(flags, None)
    if flags.judge and flags.out is None:
        raise UsageError("--out RUN says where the run is kept; --no-judge checks figures alone")
    if flags.judge:
        _check_device(settings.device)
    tasks = asked_tasks(flags.suite)
    listed = claims_at(flags.claims, tasks, flags.claimed_device)
    if ignored := unknown_columns(listed.titles):
        note(f"columns that say nothing here: {', '.join(ignored)}")
    if flags.judge and any(one.entry() for one in listed.claims):
        found, data = _judged(flags, settings, listed)
    else:
        checker = ClaimChecker()
        found = [checker.check(one, None) for one in listed.claims]
        data = claims_alone(_unstored(flags.suite, settings), found, _title(flags))
    _write(flags, found, data)
    return _exit_code(found, judged=flags.judge)


def _check_device(name: str) -> None:
    try:
        device_registry.for_judging(name)
    except UsageError as error:
        mend = "--no-judge checks the figures against the limits of the claimed device alone"
        raise UsageError(f"{error}; {mend}") from error


def _judged(
    flags: RecheckFlags, settings: Settings, listed: ClaimList
) -> tuple[list[Recheck], ReportData]:
    place = str(flags.out)
    with RunStore(place, create=True) as store:
        begins = the_run(store, flags.suite, settings, RECHECK_EVENT, str(flags.claims))
        store.add(begins, (entry for one in listed.claims if (entry := one.entry())))
        judge_open(store, begins, RunOutput(flags.quiet or flags.json))
        numbers = {row["key"]: row["number"] for row in reversed(store.summary(begins))}
        checker = ClaimChecker()
        found = [_checked(checker, one, store, begins, numbers) for one in listed.claims]
        _keep(store, begins, found)
        data = of_run(begins, store.judgements(begins), place)
        update = {"claims": tuple(found), "title": _title(flags)}
        return found, data.model_copy(update=update)


def _checked(
    checker: ClaimChecker, one: ReadClaim, store: RunStore, run: Run, numbers: dict[str, int]
) -> Recheck:
    entry = one.entry()
    if entry is None:
        return checker.check(one, None)
    key = entry.key(run.settings, run.assay)
    judgement = store.judgement(key)
    return checker.check(one, judgement.verdict if judgement else None, numbers.get(key))


def _keep(store: RunStore, run: Run, found: Sequence[Recheck]) -> None:
    """The claims with the run, once: the same command again adds nothing."""
    rows: dict[str, Any] = {"rows": [one.model_dump(mode="json") for one in found]}
    before = store.events(run, RECHECK_EVENT)
    if not before or before[-1].data != rows:
        store.tell(run, RunEvent(at=time.time(), kind=RECHECK_EVENT, data=rows))


def _write(flags: RecheckFlags, found: Sequence[Recheck], data: ReportData) -> None:
    if flags.html is not None:
        write_html(data, flags.html)
    if flags.md is not None:
        write_text(recheck_markdown(found, data.title), flags.md)
    if flags.csv is not None:
        write_text(recheck_csv(found), flags.csv)
    if flags.json:
        for one in found:
            sys.stdout.write(one.model_dump_json() + "\n")
    else:
        result_console().print(recheck_table(found))


def _title(flags: RecheckFlags) -> str:
    return f"Claims of {flags.claims.name or flags.claims}"


def _unstored(suite: str, settings: Settings) -> Run:
    import assay

    return Run(id="", suite=suite, settings=settings, assay=assay.__version__, started_at=0)


def _exit_code(found: Sequence[Recheck], judged: bool) -> int:
    """Where nothing was judged only what is beyond the limits counts."""
    if not judged:
        return 1 if any(one.mark in _BEYOND for one in found) else 0
    if any(one.status is Status.NOT_RUN for one in found):
        return 3
    return 0 if all(one.mark.holds for one in found) else 1
