"""How verdicts reach stdout: as JSON lines, as one full block, or as a growing table.

The rule: each verdict is on stdout, flushed, before the next candidate is judged.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol

from assay.app.candidates import short_names
from assay.data.verdict import Verdict
from assay.report.console import result_console
from assay.report.summary import SummaryTable
from assay.report.terminal import print_verdict


class Printer(Protocol):
    """Told of every verdict once, in order."""

    def add(self, verdict: Verdict) -> None:
        """Print one verdict."""
        ...

    def close(self) -> None:
        """Print what stands below all of them."""
        ...


class JsonPrinter:
    """One object a line and nothing else."""

    def add(self, verdict: Verdict) -> None:
        """Print one verdict."""
        sys.stdout.write(verdict.model_dump_json() + "\n")
        sys.stdout.flush()

    def close(self) -> None:
        """Nothing stands below."""


class BlockPrinter:
    """A full account of each candidate."""

    def add(self, verdict: Verdict) -> None:
        """Print one verdict."""
        print_verdict(result_console(), verdict)
        sys.stdout.flush()

    def close(self) -> None:
        """Nothing stands below."""


class TablePrinter:
    """One row a candidate, then the tally."""

    def __init__(self, names: Sequence[str]) -> None:
        self._table = SummaryTable(result_console(), short_names(names))
        self._table.open()

    def add(self, verdict: Verdict) -> None:
        """Print one verdict."""
        self._table.add(verdict)
        sys.stdout.flush()

    def close(self) -> None:
        """Print the tally."""
        self._table.close()


def printer_for(names: Sequence[str], json: bool, in_full: bool = False) -> Printer:
    """The printer that suits what was asked."""
    if json:
        return JsonPrinter()
    return BlockPrinter() if len(names) == 1 or in_full else TablePrinter(names)
