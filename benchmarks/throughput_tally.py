"""Tally: the verdicts of one lot as they come, and what they say about the rate.

The rule: what came is never lost. Each verdict is told at once, with its reason where it is not
accepted, and a run that is asked to end writes what it has before it ends.
"""

from __future__ import annotations

import contextlib
import json
import signal
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

FIRST_SHARE = 8  # one in so many verdicts comes before the steady state
_WAITING = "waiting"  # how the names of stages begin in which a candidate waits for others


@dataclass(frozen=True)
class Answer:
    """One verdict, and when it came."""

    task: str
    name: str
    status: str
    reason: str
    at_s: float  # since the first was asked for
    stages: dict[str, float]

    @property
    def waiting_s(self) -> float:
        """For the device, and for others to be done with it."""
        return sum(s for name, s in self.stages.items() if name.startswith(_WAITING))


@dataclass
class Tally:
    """The verdicts of one lot."""

    asked: int
    found: list[Answer] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        """Keep one, and say so on stderr."""
        self.found.append(answer)
        place = f"[{len(self.found)}/{self.asked}] {answer.at_s:.1f} s"
        _say(f"{place} {answer.name}: {answer.status}")
        if answer.status != "accepted":
            _say(f"    {answer.status} because: {answer.reason}")

    @property
    def first(self) -> int:
        """Verdicts before the steady state."""
        return max(1, len(self.found) // FIRST_SHARE)

    def summary(self) -> dict[str, Any]:
        """Rate, shares, statuses, and every verdict that is not `accepted`; of none, a count."""
        if not self.found:
            return {"asked": self.asked, "candidates": 0}
        found, first = self.found, self.first
        steady = found[first:] or found
        steady_s = found[-1].at_s - found[first - 1].at_s
        return {
            "asked": self.asked,
            "candidates": len(found),
            "tasks": len({one.task for one in found}),
            "wall_s": round(found[-1].at_s, 2),
            "first": first,
            "first_s": round(found[first - 1].at_s, 2),
            "verdicts_per_minute": per_minute(len(found), found[-1].at_s),
            "steady_verdicts_per_minute": per_minute(len(found) - first, steady_s),
            "statuses": dict(Counter(one.status for one in found)),
            "mean_waiting_s": _mean(one.waiting_s for one in steady),
            "mean_elapsed_s": _mean(sum(one.stages.values()) for one in steady),
            "mean_stage_s": _mean_stages(steady),
            "not_accepted": [
                {"name": one.name, "status": one.status, "reason": one.reason}
                for one in found
                if one.status != "accepted"
            ],
        }

    def tell(self) -> None:
        """On stderr: how long a candidate waited for the device, and its longest stages."""
        said = self.summary()
        if not self.found:
            _say("not one verdict came")
            return
        each = f"{said['mean_waiting_s']:.2f} s of {said['mean_elapsed_s']:.2f} s a candidate"
        _say(f"waited for the device and for others: {each}")
        stages = sorted(said["mean_stage_s"].items(), key=lambda one: -one[1])
        _say("mean seconds by stage: " + ", ".join(f"{name} {s:.2f}" for name, s in stages if s))


def per_minute(count: int, seconds: float) -> float | None:
    """Verdicts a minute, where there were some in some time."""
    return round(60 * count / seconds, 2) if count and seconds > 0 else None


def _mean(values: Iterator[float]) -> float:
    return round(statistics.mean(values), 3)


def _mean_stages(found: Sequence[Answer]) -> dict[str, float]:
    names = dict.fromkeys(name for one in found for name in one.stages)
    return {
        name: round(statistics.mean(one.stages.get(name, 0.0) for one in found), 3)
        for name in names
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass
class ResultFile:
    """The result of a run, written at its end, or when it is asked to end before."""

    path: Path | None
    result: dict[str, Any]
    current: dict[str, Tally] = field(default_factory=dict)  # lots that are not through

    @contextlib.contextmanager
    def tallied(self, name: str, tally: Tally) -> Iterator[None]:
        """While that lot is judged, what came of it belongs to the result."""
        self.current[name] = tally
        yield
        tally.tell()
        del self.current[name]

    def text(self) -> str:
        """As JSON, with what there is of lots that were cut off."""
        cut = {name: tally.summary() | {"cut_off": True} for name, tally in self.current.items()}
        return json.dumps(self.result | cut, indent=1)

    def write(self) -> None:
        """Into the file where one is named, and onto stdout."""
        text = self.text()
        if self.path:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text + "\n")
        print(text, flush=True)

    def keep_on_termination(self) -> None:
        """SIGTERM writes first, then unwinds: closing the judge may take longer than is granted."""

        def leave(number: int, _: FrameType | None) -> None:
            signal.signal(number, signal.SIG_IGN)  # a second one must not cut the writing
            for tally in self.current.values():
                tally.tell()
            self.write()
            raise SystemExit(128 + number)

        signal.signal(signal.SIGTERM, leave)
