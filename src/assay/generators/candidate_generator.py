"""CandidateGenerator: the contract of what makes candidates when it is asked.

A completion endpoint, someone else's loop, a coding agent in a folder and a search over a
template's parameters all answer the same request. What they say of their own candidates is kept
as a claim. Other distributions add their own in the entry-point group `assay.generators`
(name = "module:Class").

The rule: a generator is handed public facts only: the task's source, verdicts in words, limits.
It is never handed a secret, a held-out workload or a store.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from assay.data.candidate import Candidate, ClaimedResult
from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import LlmCall, Move, ToolUse
from assay.data.task import Task
from assay.errors import UsageError
from assay.generators.candidate_source import NoCandidate

Tell = Callable[[LlmCall | ToolUse], None]  # stored before it returns


@dataclass(frozen=True)
class ContextPart:
    """One part of what a generator is told beside the task: `profile`, `limits`, `explanation`."""

    name: str
    text: str


@dataclass(frozen=True)
class GenerationRequest:
    """What a generator is asked for."""

    task: Task
    device: str  # "cpu" or "cuda"
    move: Move = Move.DRAFT
    parents: tuple[Attempt, ...] = ()  # with their sources, statuses and feedback
    history: tuple[Attempt, ...] = ()  # of this task by this generator, in order
    waiting: tuple[Attempt, ...] = ()  # the same, asked for side by side with this: not judged yet
    context: tuple[ContextPart, ...] = ()
    note: str = ""
    languages: tuple[str, ...] = ()  # allowed; empty: any that the device has
    sample: int = 0  # number of the ask in the search: part of the key of every call
    seed: int = 0
    left: Budget = field(default_factory=Budget)  # what may still be spent
    paid: Mapping[str, LlmCall] = field(default_factory=dict)  # answers that were paid, by key

    @property
    def tried(self) -> tuple[Attempt, ...]:
        """Whatever must not be proposed again."""
        return (*self.history, *self.waiting)


@dataclass(frozen=True)
class Proposal:
    """A candidate, and what its generator says of it."""

    candidate: Candidate
    choices: Mapping[str, str] = field(default_factory=dict)
    rationale: str = ""
    claimed: ClaimedResult | None = None
    spent: Spend = field(default_factory=Spend)  # beside the calls that were told


class CandidateGenerator(ABC):
    """Makes one candidate at a time. It keeps nothing between two requests that they do not say."""

    name: str

    def configured(self, options: Mapping[str, str]) -> Self:
        """Itself with `--option NAME=VALUE`s; a UsageError for one that it does not know."""
        if options:
            one = sorted(options)[0]
            raise UsageError(f"generator '{self.name}' has no option {one!r}; it takes none")
        return self

    def expected(self, request: GenerationRequest) -> Spend:
        """What the request is expected to cost, asked before it is made."""
        return Spend()

    @abstractmethod
    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """One candidate, or why there is none. Calls that cost are told at once."""
