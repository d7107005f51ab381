"""The progress of a run: counts by status, rate, time left, and what is being judged.

The rule: a terminal gets one live line; a pipe gets a plain line for each answer.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from assay.data.run import Entry
from assay.data.verdict import Status, Verdict
from assay.report import colours

_REDRAW_S = 0.2
_OPEN = "open"


class RunProgress:
    """A context in which answers are added."""

    def __init__(self, console: Console, counts: Mapping[str, int], quiet: bool = False) -> None:
        self._console, self._quiet = console, quiet
        self._counts = Counter(counts)
        self._total = sum(counts.values())
        self._answered = 0
        self._stages: dict[int, str] = {}
        self._lock = threading.Lock()
        self._began_s = self._drawn_s = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._began_s = time.monotonic()
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
                self._text(), console=self._console, transient=True, auto_refresh=False
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if not self._quiet:
            elapsed_s = time.monotonic() - self._began_s
            known = self._total - self._counts[_OPEN] - self._answered
            before = f"; {known} were known" if known else ""
            self._console.print(f"Judged {self._answered} in {elapsed_s:.0f} s{before}.")

    def show(self, entry: Entry, stage: str) -> None:
        """A candidate comes to a stage."""
        with self._lock:
            self._stages[entry.number] = stage
            self._draw(False)

    def add(self, entry: Entry, verdict: Verdict) -> None:
        """A candidate has its answer."""
        with self._lock:
            self._stages.pop(entry.number, None)
            self._answered += 1
            self._counts[_OPEN] = max(0, self._counts[_OPEN] - 1)
            self._counts[verdict.status.value] += 1
            self._draw(True)
        if self._live is None and not self._quiet:
            text = f"{entry.task.id} {entry.candidate.name}: {verdict.status.value}"
            self._console.print(f"{text}: {verdict.reason}", soft_wrap=True)

    def _draw(self, now: bool) -> None:
        due = time.monotonic() - self._drawn_s >= _REDRAW_S
        if self._live is not None and (now or due):
            self._drawn_s = time.monotonic()
            self._live.update(self._text(), refresh=True)

    def _text(self) -> Text:
        text = Text(overflow="ellipsis", no_wrap=True)
        text.append(f"{self._total - self._counts[_OPEN]}/{self._total}  ", "bold")
        for status in reversed(Status):
            if count := self._counts[status.value]:
                text.append(f"{status.value} {count}  ", colours.STATUS[status])
        elapsed_s = time.monotonic() - self._began_s
        if self._answered:
            rate = self._answered / elapsed_s
            text.append(
                f"{60 * rate:.1f}/min  {self._counts[_OPEN] / rate / 60:.0f} min left  ", "dim"
            )
        for stage, count in Counter(self._stages.values()).items():
            text.append(f"{stage} {count}  ", "dim")
        return text
