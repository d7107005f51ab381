"""The record of `template_search.py`: a row for the trials of a task, and one for its winner.

The rule: a row is written as soon as it is known; the summary says what the rows show, whatever is
missing, and how much is missing.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from assay.scores.estimates import geometric_mean

Row = dict[str, Any]
LARGE_GOAL = 0.8  # of the copy bandwidth


class TemplateRecord:
    """A file of JSON lines; any number of threads may add."""

    def __init__(self, path: Path, timed: bool = False) -> None:
        """`timed`: what is accepted and has no times is to be asked for again."""
        self._path, self._timed = path, timed
        self._adding = threading.Lock()
        self._closed = False
        self.trials: dict[str, Row] = {}
        self.winners: dict[str, Row] = {}
        for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            self._hold(json.loads(text))

    def add(self, row: Row) -> None:
        """Write it down and say it."""
        with self._adding:
            if self._closed:
                return
            self._hold(row)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(line(row), flush=True)

    def close(self) -> None:
        """Nothing is added any more: a summary is of all that is written."""
        with self._adding:
            self._closed = True

    def _hold(self, row: Row) -> None:
        (self.winners if row["kind"] == "winner" else self.trials)[row["task"]] = row

    @property
    def searched(self) -> list[str]:
        """Tasks whose search came to its end, and those that are not covered."""
        return [name for name, row in self.trials.items() if self._is_searched(row)]

    def _is_searched(self, row: Row) -> bool:
        untimed = self._timed and row["covered"] and row["source"] and not row["speedup"]
        return bool(row.get("complete", True) and not untimed)

    @property
    def covered(self) -> list[Row]:
        """Trials of tasks that have a candidate."""
        return [row for row in self.trials.values() if row["covered"]]

    @property
    def unconfirmed(self) -> list[Row]:
        """Trials that are complete, with an accepted best whose winner is not judged yet."""
        rows = [row for row in self.covered if row["source"] and self._is_searched(row)]
        return [row for row in rows if not self._is_confirmed(row["task"])]

    def _is_confirmed(self, task: str) -> bool:
        row = self.winners.get(task)
        untimed = self._timed and row and row["status"] == "accepted" and not row["timing"]
        return row is not None and not untimed


def line(row: Row) -> str:
    """One row on one line."""
    name = f"{row['kind']:7}{row['task']:36}"
    if not row.get("covered", True):
        return f"{name} not covered: {row['reason']}"
    what = row["status"]
    if not row.get("complete", True):
        what += " so far"
    if row["kind"] == "trials":
        speed = row["speedup"]
        what += f", {len(row['trials'])} trials in {row['seconds']} s, best "
        what += f"{speed:.2f}x" if speed else f"not timed{_why(row['trials'])}"
    what += "".join(f"  {_ratio(one)}" for one in row.get("timing", ()))
    if row["kind"] == "winner" and row["status"] == "accepted" and not row["timing"]:
        what += f", not timed{_why([row])}"
    share = row.get("sol_fraction")
    large = row.get("large", {}).get("of_copy")
    what += f"  {share:.0%} of the bound" if share else ""
    what += f"  large: {large:.0%} of copy" if large else ""
    return f"{name} {what}" + ("" if row["status"] == "accepted" else f"  {row['reason'][:160]}")


def _why(trials: Iterable[Row]) -> str:
    reason = next((one["timing_reason"] for one in trials if one.get("timing_reason")), "")
    return f" ({reason[:120]})" if reason else ""


def _ratio(one: Row) -> str:
    low, high = one["speedup_low"], one["speedup_high"]
    return f"{one['baseline']} {one['speedup']:.2f} [{low:.2f} {high:.2f}]"


def summary(record: TemplateRecord, total: int, baselines: Sequence[str]) -> str:
    """Means, counts and denominators."""
    covered = record.covered
    accepted = [row for row in covered if row["source"]]
    confirmed = list(record.winners.values())
    right = [row for row in confirmed if row["status"] == "accepted"]
    lines = [
        f"{len(record.trials)} of {total} tasks looked at: {len(covered)} covered, "
        f"{len(accepted)} of these with an accepted candidate; "
        f"{len(confirmed)} winners judged anew, {len(right)} of these accepted",
        "trials: " + _statuses(t["status"] for row in covered for t in row["trials"]),
    ]
    best = [row["speedup"] for row in accepted if row["speedup"]]
    if best:
        mean = geometric_mean(best)
        lines.append(
            f"best of the trials against eager, not confirmed: geometric mean {mean.value:.3f} "
            f"over {len(best)} tasks"
        )
    for name in baselines:
        lines.append(_against(name, right))
    shares = [row["sol_fraction"] for row in right if row.get("sol_fraction")]
    if shares:
        lines.append(f"share of the bound: {geometric_mean(shares).value:.3f} over {len(shares)}")
    large = [row["large"] for row in right if row.get("large", {}).get("of_copy")]
    if large:
        reached = sum(one["of_copy"] >= LARGE_GOAL for one in large)
        lines.append(f"large shapes: {reached} of {len(large)} reach 80 % of the copy bandwidth")
    return "\n".join(lines)


def _statuses(found: Iterable[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in Counter(found).most_common()) or "none"


def _against(name: str, right: Sequence[Row]) -> str:
    found = [t for row in right for t in row["timing"] if t["baseline"] == name]
    if not found:
        return f"winners against {name}: nothing timed"
    mean = geometric_mean([one["speedup"] for one in found])
    between = "" if mean.low is None else f" [{mean.low:.3f} {mean.high:.3f}]"
    faster = sum(one["speedup_low"] > 1 for one in found)
    slower = sum(one["speedup_high"] < 1 for one in found)
    return (
        f"winners against {name}: geometric mean {mean.value:.3f}{between} over {len(found)} of "
        f"{len(right)} accepted; {faster} faster, {len(found) - faster - slower} no difference, "
        f"{slower} slower"
    )
