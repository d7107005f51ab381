"""Steering by limits against equal asks for every task, in real searches on this machine.

    python benchmarks/steering_search.py softmax layer_norm gelu --device cuda --asks 20 --out DIR

runs `assay search` twice with the same generator and seed: with the same number of asks for every
task (greedy, all stop rules off), and with `limit-steering` on 70 % of the trials that this took.
It prints the share of the gain and of the trials, and a line for each task, and writes
`DIR/steering.json`. The gain is the sum of ln(speedup) of each task's best, slower ones as nought;
a task that has no accepted kernel in either search counts nought there.

Both figures are of one seed: `--seeds 3` repeats the pair and prints each.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

OFF = ("seconds=0", "limit_share=0", "plateau=0")


@dataclass(frozen=True)
class SearchedTask:
    """What one search found of one task."""

    task: str
    speedup: float | None
    trials: int


@dataclass(frozen=True)
class SteeringComparison:
    """Two searches of the same tasks."""

    uniform: tuple[SearchedTask, ...]
    steered: tuple[SearchedTask, ...]

    @property
    def share_of_gain(self) -> float | None:
        """None where equal asks gained nothing."""
        whole = _gain(self.uniform)
        return _gain(self.steered) / whole if whole else None

    @property
    def share_of_trials(self) -> float:
        """Trials of steering over those of equal asks."""
        return _trials(self.steered) / max(1, _trials(self.uniform))


def read_results(text: str) -> tuple[SearchedTask, ...]:
    """The lines that `assay search --json` prints."""
    found = []
    for line in text.splitlines():
        if not line.strip():
            continue
        one = json.loads(line)
        best = one["best"] or {}
        found.append(SearchedTask(one["task"], best.get("speedup"), one["spent"]["trials"]))
    return tuple(found)


def _gain(tasks: tuple[SearchedTask, ...]) -> float:
    return sum(math.log(max(1.0, one.speedup)) for one in tasks if one.speedup)


def _trials(tasks: tuple[SearchedTask, ...]) -> int:
    return sum(one.trials for one in tasks)


def _search(given: argparse.Namespace, seed: int, name: str, more: list[str]) -> tuple:
    out = given.out / f"{name}-{seed}"
    command = [str(Path(sys.executable).with_name("assay")), "search", *given.tasks]
    command += ["--generator", given.generator, "--device", given.device, "--seed", str(seed)]
    command += ["--confirm-level", "none", "--json", "--quiet", "--out", str(out), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: a task without a winner, as nothing is confirmed
        sys.exit(done.stderr)
    return read_results(done.stdout)


def compare(given: argparse.Namespace, seed: int) -> SteeringComparison:
    """Both searches of one seed."""
    settings = [word for one in (f"asks={given.asks}", *OFF) for word in ("--set", one)]
    trials = given.asks * len(given.tasks)
    equal = ["--strategy", "greedy", *settings, "--budget", f"trials={trials}"]
    uniform = _search(given, seed, "uniform", equal)
    budget = max(1, int(given.share * _trials(uniform)))
    steered = ["--strategy", "limit-steering", "--set", "seconds=0", "--budget", f"trials={budget}"]
    return SteeringComparison(uniform, _search(given, seed, "steered", steered))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--generator", default="template-search")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--asks", type=int, default=20, help="of every task")
    parser.add_argument("--share", type=float, default=0.7, help="of the trials, for steering")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = [compare(given, seed) for seed in range(given.seeds)]
    for one in found:
        gain = one.share_of_gain
        said = "equal asks gained nothing" if gain is None else f"{100 * gain:.1f} % of the gain"
        print(f"steering: {said} with {100 * one.share_of_trials:.1f} % of the trials")
        for before, after in zip(one.uniform, one.steered, strict=True):
            print(f"  {before.task:28} {before.speedup} in {before.trials} trials, "
                  f"{after.speedup} in {after.trials}")  # fmt: skip
    text = json.dumps([asdict(one) for one in found], indent=1)
    (given.out / "steering.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
