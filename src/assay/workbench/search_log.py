"""SearchLog: the events and candidates of one search, as they are in the store.

The rule: an event is stored before anybody acts on it. One process at a time writes a search, so
what was told here is known without reading it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter

from assay.data.candidate import Candidate
from assay.data.generation.search_event import AskEnded, DecisionMade, SearchEvent
from assay.data.generation.search_plan import SearchPlan
from assay.data.generation.search_state import SearchState
from assay.data.run import Entry, Run, RunEvent
from assay.data.task import Task
from assay.data.verdict import Status
from assay.store.run_store import RunStore
from assay.workbench.state_reader import AskRecord, JudgedEntry, asks_of, read_state

SEARCH = "search"  # the kind of the event that holds the plan
_EVENTS: TypeAdapter[SearchEvent] = TypeAdapter(SearchEvent)
_KINDS = ("llm_call", "ask", "answer", "tool_use", "decision", "human_edit", "budget")


def stored_plan(store: RunStore, run: Run) -> SearchPlan | None:
    """The plan of a search, with its last budget; None for a run that is no search."""
    told = store.events(run, SEARCH)
    return SearchPlan.model_validate(told[-1].data, strict=False) if told else None


class SearchLog:
    """Reads what is stored of a search once, and adds to it."""

    def __init__(self, store: RunStore, run: Run, plan: SearchPlan) -> None:
        self.store, self.run, self.plan = store, run, plan
        told = store.events(run)
        self.events: list[SearchEvent] = [
            _EVENTS.validate_python(one.data, strict=False) for one in told if one.kind in _KINDS
        ]
        self._found: dict[int, JudgedEntry] = {}
        self._numbers: dict[tuple[str, str], int] = {}  # of entries, by task and content

    def begin(self) -> None:
        """Store the plan, unless it is the one that is stored."""
        if stored_plan(self.store, self.run) != self.plan:
            self.store.tell(self.run, _event(self.plan))

    def tell(self, event: SearchEvent) -> None:
        """Store an event."""
        self.store.tell(self.run, _event(event))
        self.events.append(event)

    def decide(self, decision: DecisionMade) -> bool:
        """Store a decision; False where the same was stored before."""
        same = ("task", "decision", "candidate")
        for one in self.events:
            if isinstance(one, DecisionMade) and all(
                getattr(one, name) == getattr(decision, name) for name in same
            ):
                return False
        self.tell(decision)
        return True

    def end_with(self, task: Task, candidate: Candidate, ended: Callable[[int], AskEnded]) -> None:
        """Store a candidate and the end of the ask that brought it: both or neither."""
        made: list[AskEnded] = []

        def event(number: int) -> RunEvent:
            made.append(ended(number))
            return _event(made[-1])

        entry = Entry(number=0, task=task, candidate=candidate)
        self.store.add_told(self.run, entry, event)
        self.events.append(made[-1])

    def asks(self) -> dict[int, AskRecord]:
        """Every ask so far."""
        return asks_of(self.events)

    def found(self) -> Mapping[int, JudgedEntry]:
        """Every candidate of the run, with its verdict where there is one."""
        unsettled = (one.number for one in self._found.values() if not _settled(one))
        first = min(unsettled, default=len(self._found))
        for entry, verdict in self.store.verdicts(self.run, first):
            task, candidate = entry.task.id, entry.candidate
            self._found[entry.number] = JudgedEntry(entry.number, task, candidate, verdict)
            self._numbers.setdefault((task, candidate.id), entry.number)
        return self._found

    def state(self, before: int | None = None) -> SearchState:
        """What a strategy may decide by."""
        return read_state(self.plan, self.run.settings.device, self.events, self.found(), before)

    def entry_of(self, task: str, candidate: str) -> int | None:
        """The number of the entry with that content, where there is one."""
        self.found()
        return self._numbers.get((task, candidate))

    def judged(self, task: str, candidate: str) -> JudgedEntry | None:
        """The candidate of that content, and what was found of it."""
        number = self.entry_of(task, candidate)
        return None if number is None else self._found[number]


def _settled(one: JudgedEntry) -> bool:
    """Whether its verdict stays: a failure of ours may give way to an answer."""
    return one.verdict is not None and one.verdict.status is not Status.NOT_RUN


def _event(record: SearchEvent | SearchPlan) -> RunEvent:
    data: dict[str, Any] = record.model_dump(mode="json")
    return RunEvent(at=time.time(), kind=record.kind, data=data)
