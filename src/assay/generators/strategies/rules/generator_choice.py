"""GeneratorChoice: which generator a move is asked of.

The rule: the first generator of the search is usual. Each of the others gives one draft of its own
before the first gives a second. One that had no candidate three times in a row for a move of a
task is not asked for that move again; where none is left, the task is at its end.
"""

from __future__ import annotations

from itertools import cycle, islice

from assay.data.generation.search_event import Move
from assay.generators.strategies.rules.task_view import TaskView

EMPTY_ANSWERS = 3


def generators_for(view: TaskView, move: Move) -> tuple[str, ...]:
    """Those that may still answer this move on this task, in the order of the search."""
    names = view.state.generators or ("",)
    return tuple(one for one in names if not _exhausted(view, one, move))


def generator_for(view: TaskView, move: Move) -> str | None:
    """The first of them; None where none is left."""
    return next(iter(generators_for(view, move)), None)


def drafters(view: TaskView, count: int) -> tuple[str, ...]:
    """Whom to ask for the next drafts: who gave none yet, then the first."""
    names = generators_for(view, Move.DRAFT)
    if not names:
        return ()
    asked = {one.generator for one in view.asked(Move.DRAFT)}
    unasked = [one for one in names if one not in asked] if len(names) > 1 else []
    return tuple([*unasked, *[names[0]] * count][:count])


def drafters_in_turn(view: TaskView, count: int) -> tuple[str, ...]:
    """Whom to ask for the next drafts where all have an equal share."""
    names = generators_for(view, Move.DRAFT)
    done = len(view.asked(Move.DRAFT))
    return tuple(islice(cycle(names), done, done + count)) if names else ()


def _exhausted(view: TaskView, generator: str, move: Move) -> bool:
    """Whether its last answers to this move held no candidate."""
    answers = [
        one for one in view.asked(move) if one.generator == generator or not view.state.generators
    ]
    last = answers[-EMPTY_ANSWERS:]
    return len(last) == EMPTY_ANSWERS and not any(one.candidate for one in last)
