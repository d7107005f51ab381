"""`assay report`: a stored run as files that people open: HTML, Markdown, CSV, a badge.

The rule: only stored records are read. Where no file is named the Markdown goes to stdout, and so
does a file called `-`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from assay.app.report_files import STDOUT, write_html, write_text
from assay.app.searched.stored_search import stored_search
from assay.app.stored.run_flags import ReportFlags
from assay.app.stored.stored_run import stored_claims, stored_run
from assay.errors import UsageError
from assay.report.export.badge import badge
from assay.report.export.csv_report import csv_report
from assay.report.export.markdown_report import markdown_report
from assay.report.html.gathered_report import of_run


def run(flags: ReportFlags) -> int:
    """Write what was asked for, and say where it lies."""
    _check_stdout(flags)
    store, one = stored_run(flags.run)
    with store:
        data = of_run(one, store.judgements(one), _shown(flags.run), flags.title)
        update = {"claims": stored_claims(store, one), "search": stored_search(store, one)}
        data = data.model_copy(update=update)
    written: dict[str, Path] = {}
    if flags.out is not None:
        written["html"] = write_html(data, flags.out, flags.plain_charts)
    if flags.csv is not None:
        written["csv"] = write_text(csv_report(data), flags.csv)
    if flags.badge is not None:
        written["badge"] = write_text(badge(data.verdicts), flags.badge)
    if flags.md is not None:
        written["md"] = write_text(markdown_report(data), flags.md)
    if flags.json:
        said = {kind: str(path) for kind, path in written.items()}
        sys.stdout.write(json.dumps(said) + "\n")
    elif not written:
        sys.stdout.write(markdown_report(data))
    return 0


def _check_stdout(flags: ReportFlags) -> None:
    """A UsageError where stdout is asked to carry two things."""
    count = [flags.out, flags.csv, flags.badge, flags.md].count(STDOUT)
    if count > 1:
        raise UsageError("`-` is stdout, and one report at a time goes there")
    if count and flags.json:
        raise UsageError("with --json stdout names the files: leave out --json or name a file")


def _shown(place: str) -> str:
    """The run as the report names it: a report is passed on, and a password must not be."""
    return "RUN" if "://" in place and urlsplit(place).password else place
