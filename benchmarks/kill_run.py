"""`assay run` killed at random moments: is every verdict there once, and as it would have been?

    python benchmarks/kill_run.py [--kills 20] [--per-task 4] [--jobs 2] [--seed N] [--out FILE]

A small suite is judged once undisturbed. Then the same command, on stores that begin with the same
secret, is killed (SIGKILL to the main process) at random moments and given again until nothing is
open. At the end two commands share one store. Compared are the status, the answers, the plan and
the outcome of every workload. What a killed command leaves running is counted, and how long it
takes to be gone. The exit code is 1 where a verdict is lost, doubled or another, or one stays.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from machine_watch import environment, tree
from throughput_sources.cpp_sources import cpp_sources

from assay.data.run import Judgement, Run
from assay.store.run_store import RunStore

EXAMPLES = Path(__file__).parents[1] / "examples"
NOT_ACCEPTED = {
    "gelu": "cheat__torch_delegation.py",
    "row_sum": "wrong__ignores_strides.cpp",
    "softmax": "wrong__tail_dropped.py",
}
MARK = "ASSAY_KILL_RUN"  # in the environment of everything that a command starts
GONE_S = 60.0


@dataclass
class Kill:
    """One command that was killed."""

    after_s: float
    judged: int  # verdicts in the store then
    below: int  # processes under the command at that moment
    gone_s: float | None  # until all of them were gone; None: some stayed
    left: list[str] = field(default_factory=list)


def suite(folder: Path, per_task: int, seed: int) -> None:
    """Candidates of three tasks: bare C++ that is right, and an example that is not."""
    made = cpp_sources(seed, 10 * (per_task - 1))
    for task, example in NOT_ACCEPTED.items():
        (folder / task).mkdir(parents=True)
        shutil.copy(EXAMPLES / task / example, folder / task / example)
        for one in made:
            if one.task == task:
                (folder / task / one.name).write_text(one.text)


class Command:
    """`assay run` on one store."""

    def __init__(self, candidates: Path, store: Path, jobs: int) -> None:
        self.store = store
        self._mark = uuid.uuid4().hex
        words = f"run native --level quick --no-timing --quiet --jobs {jobs}".split()
        self._line = [sys.executable, "-m", "assay.app.main", *words]
        self._line += ["--candidates", str(candidates), "--out", str(store)]

    def start(self) -> subprocess.Popen[str]:
        """Begin, or go on."""
        return subprocess.Popen(
            self._line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {MARK: self._mark},
        )

    def whole(self) -> float:
        """Run it to its end; how long that took."""
        began = time.monotonic()
        done = self.start()
        _, said = done.communicate()
        if done.returncode not in (0, 1):
            raise SystemExit(f"the command ended with {done.returncode}: {said}")
        return time.monotonic() - began

    def killed(self, after_s: float) -> Kill | None:
        """Kill it then; None where it was through before."""
        started = self.start()
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.communicate(timeout=after_s)
            return None
        below = set(tree(started.pid)) - {started.pid}
        started.kill()
        began = time.monotonic()
        started.wait()
        left = below | set(self._marked())
        while left and time.monotonic() - began < GONE_S:
            time.sleep(0.05)
            left = {pid for pid in left | set(self._marked()) if _is_alive(pid)}
        gone_s = None if left else round(time.monotonic() - began, 2)
        judged = len(verdicts(self.store)[1]) if (self.store / "store.sqlite").exists() else 0
        return Kill(round(after_s, 2), judged, len(below), gone_s, [_words(pid) for pid in left])

    def _marked(self) -> Iterator[int]:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if self._mark.encode() in (folder / "environ").read_bytes():
                        yield int(folder.name)


def _is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def _words(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:200]
    return str(pid)


def verdicts(place: Path) -> tuple[Run | None, dict[str, Judgement]]:
    """The run, and what is known by the candidate's name."""
    with RunStore(place) as store:
        runs = store.runs()
        if not runs:
            return None, {}
        found = store.judgements(runs[-1])
        return runs[-1], {
            f"{entry.task.id}/{entry.candidate.name}": made
            for entry, made in found
            if made is not None
        }


def begun_with(place: Path, run: Run) -> None:
    """A store that holds the same run, secret and all, and nothing else."""
    with RunStore(place, create=True) as store:
        store.begin(run)


def differences(place: Path, expected: dict[str, Judgement]) -> list[str]:
    """What is lost, doubled or another in a store that is through."""
    run, found = verdicts(place)
    wrong = [f"lost: {name}" for name in expected if name not in found]
    wrong += [f"unasked: {name}" for name in found if name not in expected]
    for name, before in expected.items():
        if name in found and (text := _difference(before, found[name])):
            wrong.append(f"{name}: {text}")
    with RunStore(place) as store:
        assert run is not None
        rows = store.summary(run)
        if len(store.runs()) != 1 or len(rows) != len(expected):
            wrong.append(f"{len(store.runs())} runs with {len(rows)} entries")
        if store.owners():
            wrong.append(f"claims stayed: {store.owners()}")
        wrong += [f"{r['name']}: {r['attempts']} attempts" for r in rows if r["attempts"] != 1]
        wrong += [f"not_run: {event.data['reason']}" for event in store.events(run, "not_run")]
    return wrong


def _difference(before: Judgement, after: Judgement) -> str:
    def shape(judgement: Judgement) -> dict[str, Any]:
        verdict = judgement.verdict
        return {
            "status": verdict.status,
            "answers": (verdict.correct, verdict.honest),
            "secret": verdict.plan and verdict.plan.secret,
            "workloads drawn": verdict.plan and verdict.plan.workloads,
            "outcomes": [(one.axes, one.outcome) for one in verdict.workloads],
        }

    first, second = shape(before), shape(after)
    return ", ".join(
        f"{name}: {str(first[name])[:200]} -> {str(second[name])[:200]}"
        for name in first
        if first[name] != second[name]
    )


def together(command: Command) -> list[str]:
    """Two commands at the same time on one store."""
    both = [command.start() for _ in range(2)]
    said = [one.communicate()[1] for one in both]
    codes = [one.returncode for one in both]
    return [] if codes == [1, 1] else [f"exit codes {codes}: {said}"]


def main() -> int:
    flags = parsed_flags()
    seed = random.SystemRandom().getrandbits(32) if flags.seed is None else flags.seed
    moments = random.Random(seed)
    kills: list[Kill] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        suite(place / "candidates", flags.per_task, seed)
        command = Command(place / "candidates", place / "whole", flags.jobs)
        whole_s = command.whole()
        run, expected = verdicts(place / "whole")
        assert run is not None
        stores = 0
        while len(kills) < flags.kills:
            command = Command(place / "candidates", place / f"killed_{stores}", flags.jobs)
            begun_with(command.store, run)
            stores += 1
            while len(kills) < flags.kills:
                kill = command.killed(moments.uniform(0.0, whole_s))
                if kill is None:
                    break
                kills.append(kill)
                print(json.dumps(asdict(kill)), file=sys.stderr)
            command.whole()
            wrong += differences(command.store, expected)
        command = Command(place / "candidates", place / "shared", flags.jobs)
        begun_with(command.store, run)
        began = time.monotonic()
        wrong += together(command) + differences(command.store, expected)
        shared_s = time.monotonic() - began
    result = {
        "environment": environment(),
        "seed": seed,
        "candidates": len(expected),
        "statuses": sorted({one.verdict.status.value for one in expected.values()}),
        "undisturbed_s": round(whole_s, 1),
        "two_commands_s": round(shared_s, 1),
        "stores": stores,
        "kills": [asdict(one) for one in kills],
        "orphans": sum(len(one.left) for one in kills),
        "slowest_gone_s": max((one.gone_s or GONE_S for one in kills), default=None),
        "wrong": wrong,
    }
    print(json.dumps(result, indent=1))
    if flags.out:
        flags.out.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if wrong or result["orphans"] else 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--per-task", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
