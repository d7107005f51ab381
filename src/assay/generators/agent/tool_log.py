"""ToolLog: the calls of `assay` that an agent made, read while it works.

The rule: what is read is testimony. The best candidate of the log is the one to be judged; its
figures are claims. Of a candidate only its texts are taken, under paths that stay in its folder.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from assay.data.candidate import Candidate, ClaimedResult
from assay.data.generation.search_event import ToolUse
from assay.generators.agent.assay_wrapper import LOG
from assay.languages.language_registry import detect_language, source_suffixes

_ACCEPTED = "accepted"
_MOST_BYTES = 16 * 2**20  # read at a time: an agent could flood the log


@dataclass(frozen=True)
class JudgedCandidate:
    """One candidate that the agent had judged, and what was said of it."""

    candidate: Candidate
    status: str
    speedup: float | None
    speedup_low: float | None

    @property
    def claimed(self) -> ClaimedResult:
        """As a claim."""
        speedup = self.speedup if self.status == _ACCEPTED else None
        return ClaimedResult(
            source="agent", correct=self.status == _ACCEPTED, speedup=speedup, labels=(self.status,)
        )


@dataclass
class ToolLog:
    """The log of one agent."""

    desk: Path
    ask: int
    judged: list[JudgedCandidate] = field(default_factory=list)
    _read_to: int = 0

    def news(self) -> list[ToolUse]:
        """What was logged since it was last asked, as events."""
        found: list[ToolUse] = []
        for line in self._lines():
            try:
                entry = json.loads(line)
                found += self._events(entry)
            except (ValueError, KeyError, TypeError, AttributeError, ValidationError):
                found.append(ToolUse(ask=self.ask, tool="assay", text="unreadable log line"))
        return found

    def best(self) -> JudgedCandidate | None:
        """Of those that were accepted the fastest, the last of those that were not timed."""
        accepted = [one for one in self.judged if one.status == _ACCEPTED]
        ranked = sorted(enumerate(accepted), key=lambda one: (one[1].speedup_low or 0.0, one[0]))
        return ranked[-1][1] if ranked else None

    def _lines(self) -> list[bytes]:
        path = self.desk / LOG
        if not path.is_file():
            return []
        with path.open("rb") as file:
            file.seek(self._read_to)
            data = file.read(_MOST_BYTES)
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        return whole.splitlines()

    def _events(self, entry: dict[str, Any]) -> list[ToolUse]:
        words = [str(one) for one in entry["arguments"]]
        tool, text = f"assay {words[0] if words else ''}".strip(), shlex.join(words)[:2000]
        events = []
        for one in entry["judged"]:
            found = JudgedCandidate(
                candidate=_rebuilt(Candidate.model_validate(one["candidate"])),
                status=str(one["status"]),
                speedup=one["speedup"],
                speedup_low=one["speedup_low"],
            )
            self.judged.append(found)
            said = f"{text}: {one['reason']}"
            event = ToolUse(
                ask=self.ask,
                tool=tool,
                text=said,
                candidate=found.candidate.id,
                status=found.status,
            )
            events.append(event)
        ended = f"{text}: exit code {int(entry['exit'])}"
        return events or [ToolUse(ask=self.ask, tool=tool, text=ended)]


def _rebuilt(said: Candidate) -> Candidate:
    """A candidate of the texts that are said to be one; a ValueError where a path leads out."""
    for file in said.sources:
        path = PurePosixPath(file.path)
        inside = not path.is_absolute() and ".." not in path.parts and len(file.path) <= 200
        if not inside or path.suffix not in source_suffixes():
            raise ValueError(f"no file of a candidate: {file.path!r}")
    if not said.sources:
        raise ValueError("a candidate without a file")
    return Candidate(
        name="agent", language=detect_language(said.sources), sources=said.sources, entry=said.entry
    )
