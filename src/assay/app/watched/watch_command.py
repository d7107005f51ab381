"""`assay watch`: judge a candidate at every save, at once and then more deeply.

The rule: a save ends the judgement of what was saved before. A level is asked only of a candidate
that the level before it accepted. What cannot be judged yet (no file, half of one) is said in one
line, and the next save is waited for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.app.eval_command import exit_code
from assay.app.flag_settings import settings_from
from assay.app.flags import WatchFlags
from assay.app.watched.watched_file import FileSaved, WatchedFile
from assay.data.candidate import Candidate
from assay.data.settings import Level, Settings
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.devices import device_registry
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.report.console import progress_console, result_console
from assay.report.control_characters import without_controls
from assay.report.progress_display import ProgressLine
from assay.report.watch_text import verdict_lines
from assay.tasks.catalog import candidate_at, resolve

_NO_CANDIDATE = 2  # exit code of --once: there was nothing to judge


def run(flags: WatchFlags) -> int:
    """Until Ctrl-C, which is the way to end it; with `--once` for what is there now."""
    task, settings = resolve(flags.task), settings_from(flags, None)
    device_registry.backend(settings.device)
    watcher = _Watcher(task, _ladder(flags, settings), WatchedFile(Path(flags.file)), flags.json)
    try:
        while True:
            content = watcher.file.content()
            if flags.once:
                statuses = watcher.judge(_there(watcher.file.path, task), content)
                return exit_code(statuses[-1:]) if statuses else _NO_CANDIDATE
            watcher.judge_whole(content)
            watcher.file.wait(content)
    except KeyboardInterrupt:
        return 0


def _ladder(flags: WatchFlags, settings: Settings) -> list[Settings]:
    """The levels from the shortest to the one asked for; each times as it does by default."""
    levels = list(Level)[: list(Level).index(settings.level) + 1]
    asked = flags.timing
    return [
        settings.model_copy(
            update={
                "level": level,
                "timing": level.times_by_default if asked is None else asked,
                "time_shapes": settings.time_shapes and level is settings.level,
            }
        )
        for level in levels
    ]


@dataclass
class _Watcher:
    """What is judged, how, and where it is said."""

    task: Task
    ladder: list[Settings]
    file: WatchedFile
    json: bool

    def judge_whole(self, content: str) -> None:
        """Judge what was saved, or say why it cannot be judged yet."""
        try:
            candidate = _whole(self.file.path, self.task)
        except UsageError as error:
            self._say(f"{error}; waiting for the next save")
        else:
            self.judge(candidate, content)

    def judge(self, candidate: Candidate, content: str) -> list[Status]:
        """The statuses by level, of one save; fewer where it is saved again or not accepted."""
        statuses: list[Status] = []
        self._say(f"{self.file.path} {candidate.id}")
        try:
            for verdict in self._verdicts(candidate, content):
                self._show(verdict)
                statuses.append(verdict.status)
                if verdict.status is not Status.ACCEPTED:
                    break
        except FileSaved:
            self._say("saved again: this judgement is left")
        return statuses

    def _verdicts(self, candidate: Candidate, content: str) -> Iterator[Verdict]:
        """One a level. The only place that judges."""
        from assay.pipeline import evaluate_many

        for settings in self.ladder:
            with ProgressLine(progress_console(), self.task.id) as line:
                stream = evaluate_many(self.task, [candidate], settings, line.show)
                with closing(stream), self.file.interrupted_by_save(content):
                    judgement = next(stream)
            yield judgement.verdict

    def _show(self, verdict: Verdict) -> None:
        if self.json:
            sys.stdout.write(verdict.model_dump_json() + "\n")
        else:
            for text in verdict_lines(verdict, _now()):
                result_console().print(text)
        sys.stdout.flush()

    def _say(self, text: str) -> None:
        """A note, which is no verdict: beside JSON it goes to stderr."""
        print(
            f"{_now()}  {without_controls(text)}",
            file=sys.stderr if self.json else sys.stdout,
            flush=True,
        )


def _there(path: Path, task: Task) -> Candidate:
    """The candidate; a UsageError where there is none."""
    if not path.exists():
        raise UsageError(f"{path} does not exist yet")
    return candidate_at(path, task)


def _whole(path: Path, task: Task) -> Candidate:
    """The candidate; a UsageError where it is not there, or half of one."""
    candidate = _there(path, task)
    for source in candidate.sources:
        if source.path.endswith(".py"):
            try:
                module_tree(source.text)
            except SyntaxError as error:
                place = (
                    f"{path}:{error.lineno}" if path.is_file() else f"{source.path}:{error.lineno}"
                )
                raise UsageError(f"{place}: syntax error: {error.msg}") from error
            except ValueError as error:
                raise UsageError(f"{path}: {error}") from error
    return candidate


def _now() -> str:
    return datetime.now().strftime("%H:%M:%S")
