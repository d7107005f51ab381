"""Files of a report: written whole or not at all.

The rule: a file that cannot be written is the user's mistake, told in one line and, where kernels
are judged for it, before the first of them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assay.data.run import Entry, Judgement, Run
from assay.errors import UsageError
from assay.report.control_characters import without_controls
from assay.report.html.chart_library import INSTALL, script_path
from assay.report.html.gathered_report import GatheredReport, call_run
from assay.report.html.report_data import ReportData
from assay.report.html.report_page import report_page
from assay.report.html.reproduce_commands import VerdictOrigin
from assay.report.words import byte_size

STDOUT = Path("-")


@dataclass
class HtmlReport:
    """The report of one call of a command, made while its verdicts come."""

    path: Path
    asked: str  # the task or suite as the user gave it
    gathered: GatheredReport
    run: Run | None = None

    @classmethod
    def at(cls, path: Path, asked: str) -> HtmlReport:
        """A report that can be written there; a UsageError where it cannot."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path.parent):
                return cls(path, asked, GatheredReport(VerdictOrigin(asked), with_records=True))
        except OSError as error:
            raise UsageError(f"cannot write --html {path}: {error.strerror}") from error

    def add(self, judgement: Judgement) -> None:
        """Keep what the page shows of it."""
        self.run = self.run or call_run(self.asked, judgement)
        number = len(self.gathered.verdicts)
        entry = Entry(number=number, task=judgement.task, candidate=judgement.candidate)
        self.gathered.add(entry, judgement)

    def write(self, title: str) -> None:
        """Write the file, and say on stderr where it lies; nothing where nothing was judged."""
        if self.run is not None:
            write_html(self.gathered.data(self.run, title), self.path)


def write_html(data: ReportData, path: Path, plain_charts: bool = False) -> Path:
    """The report as one HTML file; where plotly is missing a line says how to get all charts."""
    if script_path() is None and not plain_charts:
        sys.stderr.write(f"assay: the report has only plain charts: {INSTALL}\n")
    return write_text(report_page(data, plain_charts), path)


def write_text(text: str, path: Path) -> Path:
    """Write the file, and say on stderr where it lies; `-` is stdout."""
    if path == STDOUT:
        sys.stdout.write(without_controls(text) if sys.stdout.isatty() else text)
        return path
    replaced(text, path)
    sys.stderr.write(f"assay: wrote {path} ({byte_size(path.stat().st_size)})\n")
    return path


def replaced(text: str, path: Path) -> Path:
    """Write beside the target and rename."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return path
