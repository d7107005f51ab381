"""Scripted attempts and states for tests of strategies and of knowledge."""

from __future__ import annotations

from typing import Any

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import Move
from assay.data.generation.search_state import SearchState, TaskState


def tried(number: int, status: str = "accepted", speedup: float = 1.0, **more: Any) -> Attempt:
    """An attempt whose candidate is called `c<number>`; its interval is one percent wide."""
    fields: dict[str, Any] = {
        "number": number,
        "task": "softmax",
        "candidate": f"c{number}",
        "source": f"def forward(x):\n    return torch.softmax(x)  # {number}\n",
        "status": status,
        "generator": "first",
        "spent": Spend(seconds=90, trials=1),
    }
    if status == "accepted":
        fields |= {
            "speedup": speedup,
            "speedup_low": speedup * 0.995,
            "speedup_high": speedup * 1.005,
            "latency_us": 1000 / speedup,
            "sol_us": 100.0,
        }
    return Attempt(**(fields | more))


def empty(number: int, **more: Any) -> Attempt:
    """An ask that brought no candidate."""
    return tried(number, status="", candidate="", reason="no code", **more)


def changed(number: int, parent: str, status: str = "accepted", **more: Any) -> Attempt:
    """A change of an accepted candidate."""
    return tried(number, status, parents=(parent,), move=Move.OPTIMISE, **more)


def repaired(number: int, parent: str, status: str = "incorrect", **more: Any) -> Attempt:
    """A repair of a refused candidate."""
    return tried(number, status, parents=(parent,), move=Move.REPAIR, **more)


def searched(*attempts: Attempt, **more: Any) -> SearchState:
    """A search of the one task `softmax`, after these attempts."""
    task = TaskState(task="softmax", sol_us=100.0, baseline_us=1000.0, attempts=attempts)
    fields: dict[str, Any] = {"tasks": (task,), "generators": ("first",), "budget": Budget()}
    return SearchState(**(fields | more))


def several(**attempts: tuple[Attempt, ...]) -> SearchState:
    """A search of several tasks, by name."""
    tasks = tuple(
        TaskState(
            task=name,
            sol_us=100.0,
            baseline_us=1000.0,
            tags=(f"family:{name.partition('_')[0]}",),
            attempts=tuple(one.model_copy(update={"task": name}) for one in own),
        )
        for name, own in attempts.items()
    )
    return SearchState(tasks=tasks, generators=("first",))
