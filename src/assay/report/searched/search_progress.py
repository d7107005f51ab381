"""The progress of a search: what it spent, the best of each task, and the last attempts.

The rule: a terminal gets a live area that gives way to a past-tense summary; a pipe gets a plain
line for each verdict. Only what the judge found is shown, never a claim.
"""

from __future__ import annotations

import threading
import time
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from assay.data.generation.search_event import AskStarted
from assay.data.generation.search_state import SearchState, TaskState
from assay.data.run import Entry
from assay.data.verdict import Verdict
from assay.report import colours
from assay.report.searched.search_words import limit_text, lineage_text, speed_text, spend_text

_LAST = 6  # attempts that are shown
_TASKS = 8  # tasks that are shown


class SearchProgress:
    """A context in which a search shows itself."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console, self._quiet = console, quiet
        self._state: SearchState | None = None
        self._now = ""
        self._verdicts = 0
        self._began_s = time.monotonic()
        self._lock = threading.Lock()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._began_s = time.monotonic()
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
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
        spent = "" if self._state is None else f": {_spent(self._state)}"
        seconds = time.monotonic() - self._began_s
        return f"Searched for {seconds:.0f} s, {self._verdicts} verdicts{spent}."

    def state(self, state: SearchState) -> None:
        """The search comes to a new state."""
        with self._lock:
            self._state = state
            self._draw()

    def asking(self, started: AskStarted) -> None:
        """A generator is asked."""
        with self._lock:
            self._now = f"ask {started.ask}: {started.generator}, {started.move.value}"
            self._now += f" of {started.task}" + (f": {started.note}" if started.note else "")
            self._draw()

    def judging(self, entry: Entry, stage: str) -> None:
        """A candidate comes to a stage."""
        with self._lock:
            self._now = f"{entry.candidate.name}: {stage}"
            self._draw()

    def judged(self, entry: Entry, verdict: Verdict) -> None:
        """A candidate has its answer."""
        with self._lock:
            self._verdicts += 1
            self._draw()
        if self._live is None and not self._quiet:
            text = f"{entry.candidate.name}: {verdict.status.value}: {verdict.reason}"
            self._console.print(text, soft_wrap=True)

    def _draw(self) -> None:
        if self._live is not None:
            self._live.update(self._view(), refresh=True)

    def _view(self) -> Group:
        parts = [Text(self._now, style="dim", overflow="ellipsis", no_wrap=True)]
        if self._state is not None:
            parts = [_head(self._state), *_tasks(self._state), *_last(self._state), *parts]
        return Group(*parts)


def _spent(state: SearchState) -> str:
    return spend_text(state.spent, state.budget)


def _head(state: SearchState) -> Text:
    total = sum(len(one.attempts) for one in state.tasks)
    return Text(f"{total} attempts, {_spent(state)}", style="bold")


def _tasks(state: SearchState) -> list[Text]:
    shown = sorted(state.tasks, key=lambda one: (bool(one.stopped), -len(one.attempts)))
    return [_task_line(one) for one in shown[:_TASKS]]


def _task_line(task: TaskState) -> Text:
    text = Text(overflow="ellipsis", no_wrap=True)
    text.append(f"{task.task}  ")
    best = task.best
    if best is None:
        text.append(f"none of {len(task.attempts)} accepted", "dim")
    else:
        text.append(speed_text(best), "green")
        text.append(f"  {limit_text(best)}", "dim")
        text.append(f"  #{best.number}, {len(task.accepted)} of {len(task.attempts)} accepted")
    return text.append(f"  stopped: {task.stopped}", "dim") if task.stopped else text


def _last(state: SearchState) -> list[Text]:
    """The attempts made last, with what they were made from."""
    attempts = sorted(state.attempts(), key=lambda one: one.number)
    numbers = {one.candidate: one.number for one in reversed(attempts) if one.candidate}
    lines = []
    for one in attempts[-_LAST:]:
        text = Text("  " + lineage_text(one, numbers), overflow="ellipsis", no_wrap=True)
        styles = {status.value: style for status, style in colours.STATUS.items()}
        style = "yellow" if one.below_limit else styles.get(one.status, "dim")
        lines.append(text.append(f"  {speed_text(one)}", style))
    return lines
