"""A stored run, begun or gone on with, and judged until nothing is open.

The rule: whatever ends it, what is judged is kept, and the store says how it ended.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import assay
from assay.data.record import content_id
from assay.data.run import Run, RunEvent
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine.suite_run import SuiteRun, begun
from assay.errors import AssayError, Terminated, UsageError
from assay.report.console import progress_console
from assay.report.run_progress import RunProgress
from assay.store.run_store import RunStore


@dataclass(frozen=True)
class RunOutput:
    """What a run shows while it goes on."""

    quiet: bool = False
    json_lines: bool = False  # verdicts on stdout, one a line

    @property
    def is_quiet(self) -> bool:
        """With --json a live line beside results in a file, and none beside those on a screen."""
        seen = sys.stdout.isatty() or not sys.stderr.isatty()
        return self.quiet or (self.json_lines and seen)


def the_run(store: RunStore, suite: str, settings: Settings, *asked: str) -> Run:
    """The run that this command began before, or a new one; `asked` tells commands apart."""
    key = run_key(suite, settings, *asked)
    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    new = Run(
        id=f"{stamp}-{key}",
        suite=suite,
        settings=settings,
        assay=assay.__version__,
        started_at=now,
    )
    return begun(store, new, like=key).model_copy(update={"settings": settings})


def require_run(store: RunStore, where: str, key: str) -> None:
    """A UsageError where there is no run to go on with."""
    if not any(one.id.endswith(key) for one in store.runs()):
        raise UsageError(
            f"{where} holds no run of this suite with these settings: leave --resume out"
        )


def run_key(suite: str, settings: Settings, *asked: str) -> str:
    """What runs of the same command have in common."""
    return content_id(suite, settings.model_dump_json(exclude={"jobs"}), assay.__version__, *asked)


def judge_open(store: RunStore, run: Run, output: RunOutput) -> None:
    """Judge what is open, and note how it ended."""
    try:
        _judge(store, run, output)
    except BaseException as error:
        _stopped(store, run, error)
        raise
    store.tell(run, RunEvent(at=time.time(), kind="finished", data=store.counts(run)))


def exit_code_of(statuses: Sequence[str | None]) -> int:
    """0 all accepted, 3 where one is open or we failed ourselves, else 1."""
    if None in statuses or Status.NOT_RUN.value in statuses:
        return 3
    return 0 if set(statuses) == {Status.ACCEPTED.value} else 1


def _stopped(store: RunStore, run: Run, error: BaseException) -> None:
    """Note it. To a user who stopped it, say what is kept and how to go on."""
    with contextlib.suppress(AssayError):  # the store may be what failed
        counts = store.counts(run)
        if isinstance(error, KeyboardInterrupt | Terminated):
            left, total = counts.get("open", 0), sum(counts.values())
            text = f"{total - left} of {total} are judged and kept; the same command goes on"
            print(f"assay: {text}", file=sys.stderr)  # noqa: T201
        told = {"why": type(error).__name__, "counts": counts}
        store.tell(run, RunEvent(at=time.time(), kind="stopped", data=told))


def _judge(store: RunStore, run: Run, output: RunOutput) -> None:
    jobs = run.settings.jobs
    one_at_a_time = run.model_copy(update={"settings": run.settings.model_copy(update={"jobs": 1})})
    progress = RunProgress(
        progress_console(), lambda: store.counts(run), run.settings.device, quiet=output.is_quiet
    )
    suite_run = SuiteRun(store, one_at_a_time, jobs, progress.show)
    with progress, closing(suite_run.answers()) as answers:
        for answer in answers:
            progress.add(answer.entry, answer.judgement.verdict)
            if output.json_lines:
                sys.stdout.write(answer.judgement.verdict.model_dump_json() + "\n")
                sys.stdout.flush()
