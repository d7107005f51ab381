"""The progress of a run: counts by status, rate, time left, and what is being judged.

The rule: a terminal gets a live area of two lines that gives way to a past-tense summary; a pipe
gets a plain line for each answer. Counts come from the store, so that answers of other processes
are in them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from assay.data.run import Entry
from assay.data.verdict import Status, Verdict
from assay.report import colours

_REDRAW_S = 0.2
_COUNT_S = 5.0  # between two looks into the store
_RECENT = 64  # answers whose rate is shown
_OPEN = "open"


class RunProgress:
    """A context in which answers are added."""

    def __init__(
        self,
        console: Console,
        count: Callable[[], Mapping[str, int]],
        device: str,
        quiet: bool = False,
    ) -> None:
        self._console, self._count, self._device, self._quiet = console, count, device, quiet
        self._counts: Counter[str] = Counter()
        self._known = self._answered = 0
        self._stages: dict[int, str] = {}
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._lock = threading.Lock()
        self._began_s = self._drawn_s = self._counted_s = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._began_s = self._counted_s = time.monotonic()
        self._recent.append(self._began_s)
        self._counts = Counter(self._count())
        self._known = self._done
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
                self._text(),
                console=self._console,
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,  # stdout carries results and stays as it is
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if not self._quiet:
            self._console.print(self.summary(), soft_wrap=True)

    def summary(self) -> str:
        """What was done here, once it is done."""
        elapsed_s = time.monotonic() - self._began_s
        rate = f" ({60 * self._answered / elapsed_s:.1f}/min)" if self._answered else ""
        before = f"; {self._known} were known" if self._known else ""
        return f"Judged {self._answered} in {elapsed_s:.0f} s{rate}{before}."

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
            self._recent.append(time.monotonic())
            self._counts[_OPEN] = max(0, self._counts[_OPEN] - 1)
            self._counts[verdict.status.value] += 1
            self._count_anew()
            self._draw(True)
            place = f"[{self._done}/{self._counts.total()}]"
        if self._live is None and not self._quiet:
            text = f"{place} {entry.task.id} {entry.candidate.name}: {verdict.status.value}"
            self._console.print(f"{text}: {verdict.reason}", soft_wrap=True)

    @property
    def _done(self) -> int:
        return self._counts.total() - self._counts[_OPEN]

    def _count_anew(self) -> None:
        now_s = time.monotonic()
        if now_s - self._counted_s >= _COUNT_S:
            self._counts, self._counted_s = Counter(self._count()), now_s

    def _draw(self, now: bool) -> None:
        due = time.monotonic() - self._drawn_s >= _REDRAW_S
        if self._live is not None and (now or due):
            self._drawn_s = time.monotonic()
            self._live.update(self._text(), refresh=True)

    def _text(self) -> Text:
        text = Text(overflow="ellipsis", no_wrap=True)
        text.append(f"{self._done}/{self._counts.total()}  ", "bold")
        for status in reversed(Status):
            if count := self._counts[status.value]:
                text.append(f"{status.value} {count}  ", colours.STATUS[status])
        text.append(self._pace(), "dim")
        text.append(f"\n{self._device}  ", "dim")
        for stage, count in sorted(Counter(self._stages.values()).items()):
            text.append(f"{stage} {count}  ")
        return text

    def _pace(self) -> str:
        """Of the last answers, up to now."""
        now_s = time.monotonic()
        if not self._answered:
            return f"{now_s - self._began_s:.0f} s"
        per_s = (len(self._recent) - 1) / max(now_s - self._recent[0], 1e-9)
        return f"{60 * per_s:.1f}/min  {duration(self._counts[_OPEN] / per_s)} left"


def duration(seconds: float) -> str:
    """In the largest unit that says something."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
