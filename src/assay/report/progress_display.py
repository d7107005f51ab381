"""What is going on, in one live line on stderr that gives way to a past-tense summary.

The rule: nothing is drawn by a second thread. A redraw takes a millisecond or two with the
interpreter locked, which would be measured as part of a kernel's time; so the line is redrawn
only when the pipeline itself reports, from whichever of its threads. In a pipe nothing is shown.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from assay.data.progress import Progress

_REDRAW_S = 0.1
_BAR_CELLS = 20


class ProgressLine:
    """A context in which `show` may be called. Results are printed inside `hidden()`."""

    def __init__(
        self, console: Console, subject: str, noun: str = "candidate", done: str = "Judged"
    ) -> None:
        self._console = console
        self._done = done
        self._subject = subject
        self._noun = noun
        self._live: Live | None = None
        self._lock = threading.RLock()  # with --jobs, several candidates report at a time
        self._start_s = time.monotonic()
        self._drawn_s = -_REDRAW_S
        self._last: Progress | None = None
        self._candidates: set[tuple[str, int]] = set()

    def __enter__(self) -> Self:
        """Begin counting time; nothing is drawn before the first report."""
        self._start_s = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the line; leave the summary where everything went to its end."""
        with self._lock:
            self._erase()
        if kind is None and self._candidates and self._console.is_terminal:
            self._console.print(Text(self.summary(), style="dim"))

    def show(self, progress: Progress) -> None:
        """Report one step. Redraws at most ten times a second, but never misses a new stage."""
        with self._lock:
            self._candidates.add((progress.candidate, progress.index))
            now_s = time.monotonic()
            if self._console.is_terminal and (self._is_new(progress) or self._is_due(now_s)):
                self._drawn_s = now_s
                self._draw(progress_text(progress, now_s - self._start_s))
            self._last = progress

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the line away while something is printed on the same terminal."""
        with self._lock:
            self._erase()
            yield

    def summary(self) -> str:
        """What was done, once it is done."""
        count = len(self._candidates)
        noun = self._noun if count == 1 else f"{self._noun}s"
        elapsed_s = time.monotonic() - self._start_s
        return f"{self._done} {count} {noun} of {self._subject} in {elapsed_s:.1f} s."

    def _is_new(self, progress: Progress) -> bool:
        last = self._last
        return last is None or (last.index, last.stage) != (progress.index, progress.stage)

    def _is_due(self, now_s: float) -> bool:
        return now_s - self._drawn_s >= _REDRAW_S

    def _draw(self, text: Text) -> None:
        if self._live is None:
            self._live = Live(
                text,
                console=self._console,
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,  # stdout carries results and stays as it is
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(text, refresh=True)

    def _erase(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def progress_text(progress: Progress, elapsed_s: float) -> Text:
    """Which candidate of how many, what is being done to it, and how far that is."""
    text = Text(overflow="ellipsis", no_wrap=True)
    if progress.total > 1:
        text.append(f"{progress.index + 1}/{progress.total}  ", "dim")
    text.append(progress.candidate, "bold").append(f"  {progress.stage}  ")
    if progress.fraction is not None:
        full = round(_BAR_CELLS * min(max(progress.fraction, 0.0), 1.0))
        text.append("━" * full, "green").append("━" * (_BAR_CELLS - full) + "  ", "dim")
    return text.append(f"{elapsed_s:.0f} s", "dim")
