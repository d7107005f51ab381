"""SearchEvent: what happens in a search. Events are added to the store and never changed.

What a generator says of its own candidate is `claimed`; what the judge found is a judgement of
the store, and is never copied into an event that a generator tells.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from assay.data.candidate import ClaimedResult
from assay.data.generation.budget import Budget, Spend
from assay.data.record import Record


class Move(StrEnum):
    """What a candidate is to its parents."""

    DRAFT = "draft"  # it has none
    REPAIR = "repair"  # the parent was refused
    OPTIMISE = "optimise"  # the parent was accepted
    CROSSOVER = "crossover"  # of several that were accepted
    CONFIG = "config"  # another point in the space of a template


class LlmCall(Record):
    """One request to a language model that was answered, or failed for good."""

    kind: Literal["llm_call"] = "llm_call"
    key: str  # of model, messages, parameters and sample index; the same call has the same key
    model: str  # as asked for
    answered_by: str = ""  # the model that the answer names
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_thinking: int | None = None
    estimated: bool = False  # tokens were counted here: the answer did not say
    dollars: float | None = None  # None: no price is known
    seconds: float = 0.0
    retries: int = 0
    finish: str = ""  # why the answer ended: "stop", "length"
    replayed: bool = False  # answered from a record: nothing was paid
    text: str = ""  # the answer
    error: str = ""
    ask: int | None = None  # the ask it was made for; filled in where it is stored


class AskStarted(Record):
    """A generator is asked. Written before it is: an ask without an end was cut off."""

    kind: Literal["ask"] = "ask"
    ask: int  # number in the search
    task: str
    move: Move
    parents: tuple[str, ...] = ()  # candidate ids
    generator: str
    strategy: str
    note: str = ""  # why, in the strategy's words
    labels: dict[str, str] = Field(default_factory=dict)  # island, bottleneck, arm
    context: tuple[str, ...] = ()  # parts that it is told beside the task
    shown: tuple[str, ...] = ()  # ids of past attempts that it is shown
    known: int = 0  # asks before this number were judged, and are what it is told of
    left: Budget = Budget()  # what might be spent when it was asked


class AskEnded(Record):
    """What came of an ask: a candidate, or the reason why there is none."""

    kind: Literal["answer"] = "answer"
    ask: int
    candidate: str = ""  # its id; empty: none
    entry: int | None = None  # its number in the run
    reason: str = ""  # why there is none
    choices: dict[str, str] = Field(default_factory=dict)  # of a template, by parameter
    rationale: str = ""  # the generator's own words
    claimed: ClaimedResult | None = None
    spent: Spend = Spend()


class ToolUse(Record):
    """Something that an agent did in its folder, an `assay eval` above all."""

    kind: Literal["tool_use"] = "tool_use"
    ask: int
    tool: str
    text: str = ""
    candidate: str = ""  # of what was judged
    status: str = ""


class DecisionMade(Record):
    """What a strategy decided, and why."""

    kind: Literal["decision"] = "decision"
    task: str = ""
    decision: str  # "keep", "revert", "migrate", "quarantine", "confirm", "stop"
    candidate: str = ""
    reason: str


class HumanEdit(Record):
    """A person changed a candidate."""

    kind: Literal["human_edit"] = "human_edit"
    candidate: str
    parent: str
    diff: str
    author: str = ""
    seconds: float | None = None


class BudgetSpent(Record):
    """Where the search stands against its budget."""

    kind: Literal["budget"] = "budget"
    budget: Budget
    spent: Spend


SearchEvent = Annotated[
    LlmCall | AskStarted | AskEnded | ToolUse | DecisionMade | HumanEdit | BudgetSpent,
    Field(discriminator="kind"),
]
