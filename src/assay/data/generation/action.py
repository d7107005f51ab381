"""Action: what a strategy may want: ask a generator for a candidate, decide, stop a task."""

from __future__ import annotations

from pydantic import Field

from assay.data.generation.search_event import Move
from assay.data.record import Record


class Ask(Record):
    """Ask a generator for one candidate of a task."""

    task: str
    move: Move = Move.DRAFT
    parents: tuple[str, ...] = ()  # candidate ids
    generator: str = ""  # empty: the first of the search
    context: tuple[str, ...] = ()  # parts of the prompt: profile, limits, explanation, knowledge
    shown: tuple[str, ...] = ()  # ids of past attempts to show as examples
    note: str = ""  # what to do, in words: one bottleneck, one change
    labels: dict[str, str] = Field(default_factory=dict)


class Decide(Record):
    """Say what became of a candidate; it is kept as an event."""

    task: str
    decision: str
    candidate: str = ""
    reason: str


class StopTask(Record):
    """Ask nothing more of a task."""

    task: str
    reason: str


Action = Ask | Decide | StopTask
