"""SearchPlan: what a search was asked to do. It is the first event of a search's run."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from assay.data.generation.budget import Budget
from assay.data.record import Record
from assay.data.settings import Level
from assay.data.task import Task

# What a generator may be told beside the task; each can be left out.
CONTEXT_PARTS = ("profile", "limits", "explanation", "knowledge", "retrieval", "examples")


class FeedbackShown(StrEnum):
    """What a generator is told of its earlier candidates."""

    FULL = "full"  # status, reason, first evidence, explanation, limits
    STATUS = "status"  # the status alone
    NONE = "none"


class GeneratorChoice(Record):
    """A generator of a search: its name, what the search calls it, and its options."""

    name: str
    label: str = ""  # empty: its name
    options: dict[str, str] = Field(default_factory=dict)

    @property
    def called(self) -> str:
        """What asks and attempts name it by."""
        return self.label or self.name


class SearchPlan(Record):
    """Tasks, generators, strategy, budget, and what is told and confirmed."""

    kind: Literal["search"] = "search"
    tasks: tuple[Task, ...]
    generators: tuple[GeneratorChoice, ...]
    strategy: str
    strategy_settings: dict[str, str] = Field(default_factory=dict)
    budget: Budget = Budget()
    seed: int = 0
    confirm_level: Level | None = None  # None: nothing is confirmed
    without_context: tuple[str, ...] = ()  # parts that no generator is told
    feedback: FeedbackShown = FeedbackShown.FULL
    patience: int = 12  # asks of a task in a row that bring nothing new, after which it is stopped
    count_missing: bool = False  # an ask without a candidate is scored as an empty one

    def identity(self) -> str:
        """What searches of the same command have in common: all but what may be spent."""
        return self.model_dump_json(exclude={"budget"})
