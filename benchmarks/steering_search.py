"""Steering by limits against equal asks for every task, in real searches on this machine.

    python benchmarks/steering_search.py softmax layernorm gelu --device cuda --asks 20 --out DIR
        [--jobs 8] [--level quick] [--seeds 1] [--stop-after-s 190]

runs `assay search` twice with the same generator and seed: with the same number of asks for every
task (greedy, all stop rules off), and with `limit-steering` on 70 % of the trials that this took.
It prints the share of the gain and of the trials, and a line for each task, and writes
`DIR/steering.json` after each pair. The gain is the sum of ln(speedup) of each task's best,
slower ones as nought; a task that has no accepted kernel in either search counts nought there.

Both figures are of one seed: `--seeds 3` repeats the pair and prints each. With `--stop-after-s` a
search that is still at work when its part of the time is over is stopped, and what it stored until
then counts; the record says so. SIGTERM stops the search too. The same command goes on with what
was stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from run_end import RunEnd, TimeIsUpError

from assay.app.stored.stored_run import stored_run
from assay.data.generation.search_result import SearchResult
from assay.errors import AssayError
from assay.workbench.search_log import SearchLog, stored_plan
from assay.workbench.search_results import search_results

OFF = ("seconds=0", "limit_share=0", "plateau=0")
STOP_S = 6.0  # of its time, that a search which is told to stop has for it


@dataclass(frozen=True)
class SearchedTask:
    """What one search found of one task."""

    task: str
    speedup: float | None
    trials: int
    accepted: int = 0


@dataclass(frozen=True)
class StoredSearch:
    """What one search stored."""

    tasks: tuple[SearchedTask, ...]
    stopped: bool = False  # by the time, before its end
    untimed: str = ""  # why accepted kernels have no times, where they have none

    @property
    def gain(self) -> float:
        """The sum of ln(speedup), slower ones as nought."""
        return sum(math.log(max(1.0, one.speedup)) for one in self.tasks if one.speedup)

    @property
    def trials(self) -> int:
        """Of all tasks."""
        return sum(one.trials for one in self.tasks)


@dataclass(frozen=True)
class SteeringComparison:
    """Two searches of the same tasks."""

    uniform: StoredSearch
    steered: StoredSearch

    @property
    def share_of_gain(self) -> float | None:
        """None where equal asks gained nothing."""
        return self.steered.gain / self.uniform.gain if self.uniform.gain else None

    @property
    def share_of_trials(self) -> float:
        """Trials of steering over those of equal asks."""
        return self.steered.trials / max(1, self.uniform.trials)

    def lines(self) -> list[str]:
        """What is printed."""
        gain = self.share_of_gain
        said = "equal asks gained nothing" if gain is None else f"{100 * gain:.1f} % of the gain"
        lines = [f"steering: {said} with {100 * self.share_of_trials:.1f} % of the trials"]
        for name, one in (("equal asks", self.uniform), ("steering", self.steered)):
            if one.stopped:
                lines.append(f"  {name}: stopped by the time, {one.trials} trials until then")
            if one.untimed:
                lines.append(f"  {name}: accepted kernels were not timed: {one.untimed}")
        after = {one.task: one for one in self.steered.tasks}
        return [*lines, *(_pair(one, after.get(one.task)) for one in self.uniform.tasks)]


def _pair(before: SearchedTask, after: SearchedTask | None) -> str:
    steered = "not begun" if after is None else _said(after)
    return f"  {before.task:28} equal asks: {_said(before)}; steering: {steered}"


def _said(one: SearchedTask) -> str:
    speed = "not timed" if one.speedup is None else f"{one.speedup:.3f}x"
    return f"{speed if one.accepted else 'none accepted'} in {one.trials} trials"


def searched_task(one: SearchResult) -> SearchedTask:
    """What counts of a result."""
    speedup = one.best.speedup if one.best else None
    return SearchedTask(one.task, speedup, one.spent.trials, one.accepted)


def read_search(place: Path, stopped: bool) -> StoredSearch:
    """What is stored of a search, whether or not it came to its end."""
    try:
        store, run = stored_run(str(place))
    except AssayError as error:
        return StoredSearch((), stopped, f"nothing is stored: {error}")
    with store:
        plan = stored_plan(store, run)
        if plan is None:
            return StoredSearch((), stopped, "nothing is stored")
        tasks = tuple(map(searched_task, search_results(SearchLog(store, run, plan))))
        good = [one for _, one in store.verdicts(run) if one and one.status.value == "accepted"]
    reasons = [one.timing_reason or "" for one in good if not one.timing]
    return StoredSearch(tasks, stopped, reasons[0] if len(reasons) == len(good) > 0 else "")


def end_in_time(command: list[str], log: IO[str], until: float) -> int | None:
    """The exit code of a command; None where it had to be stopped before its end."""
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
    try:
        return run.wait(max(0.0, until - STOP_S - time.monotonic()))
    except (subprocess.TimeoutExpired, TimeIsUpError):
        run.send_signal(signal.SIGINT)
        try:
            run.wait(STOP_S)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        return None


def search(given: argparse.Namespace, place: Path, until: float, more: list[str]) -> StoredSearch:
    """One search, in a process of its own, until its end or the time's."""
    command = [sys.executable, "-m", "assay.app.main", "search", *given.tasks]
    command += ["--generator", given.generator, "--device", given.device, "--level", given.level]
    command += ["--timing", "--confirm-level", "none", "--json", "--out", str(place)]
    command += ["--jobs", str(given.jobs), *more]
    with Path(f"{place}.log").open("w", encoding="utf-8") as log:
        ended = end_in_time(command, log, until)
    if ended is None:
        return read_search(place, stopped=True)
    if ended not in (0, 1):  # 1: a task without a winner, as nothing is confirmed
        sys.exit(Path(f"{place}.log").read_text(encoding="utf-8"))
    return read_search(place, stopped=False)


def compare(
    given: argparse.Namespace, seed: int, end: float, run_end: RunEnd
) -> SteeringComparison:
    """Both searches of one seed; equal asks have the larger part of the time."""
    begin = time.monotonic()
    settings = [word for one in (f"asks={given.asks}", *OFF) for word in ("--set", one)]
    budget = ["--budget", f"trials={given.asks * len(given.tasks)}"]
    middle = begin + (end - begin) / (1 + given.share)
    more = ["--seed", str(seed), "--strategy", "greedy", *settings, *budget]
    uniform = search(given, given.out / f"uniform-{seed}", middle, more)
    print(f"equal asks: {uniform.trials} trials{' (stopped)' * uniform.stopped}", flush=True)
    trials = max(1, int(given.share * uniform.trials))
    if run_end.came or time.monotonic() > end - STOP_S:
        return SteeringComparison(uniform, StoredSearch((), stopped=True))
    more = ["--seed", str(seed), "--strategy", "limit-steering", "--set", "seconds=0"]
    place = given.out / f"steered-{seed}-{trials}"
    steered = search(given, place, end, [*more, "--budget", f"trials={trials}"])
    return SteeringComparison(uniform, steered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--generator", default="template-search")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--asks", type=int, default=20, help="of every task")
    parser.add_argument("--share", type=float, default=0.7, help="of the trials, for steering")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="kernels judged side by side")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--stop-after-s", type=float, default=1e6)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    began, found = time.monotonic(), []
    run_end = RunEnd(given.stop_after_s, 2 * STOP_S)
    for seed in range(given.seeds):
        end = began + (seed + 1) * given.stop_after_s / given.seeds
        found.append(compare(given, seed, end, run_end))
        print("\n".join(found[-1].lines()), flush=True)
        text = json.dumps([asdict(one) for one in found], indent=1)
        (given.out / "steering.json").write_text(text + "\n", encoding="utf-8")
        if run_end.came:
            break


if __name__ == "__main__":
    main()
