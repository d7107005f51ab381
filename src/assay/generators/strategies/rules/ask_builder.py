"""AskBuilder: asks for the moves of a task, each with the context that the move needs.

The rule: improvement starts from accepted parents only, repair from honest failures only. Where no
generator is left for a move there is no ask of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.generation.action import Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.generators.strategies.rules.direction import DIRECTION, ChangeDirection
from assay.generators.strategies.rules.generator_choice import drafters, generator_for
from assay.generators.strategies.rules.task_view import TaskView, repairable

CONTEXT = {
    Move.DRAFT: ("limits", "knowledge"),
    Move.REPAIR: ("explanation",),
    Move.OPTIMISE: ("profile", "limits", "knowledge"),
    Move.CROSSOVER: ("profile", "limits"),
    Move.CONFIG: ("profile", "limits"),
}


@dataclass(frozen=True)
class AskBuilder:
    """Writes asks of one task."""

    view: TaskView

    def drafts(self, count: int, note: str = "") -> tuple[Ask, ...]:
        """Candidates without parents."""
        names = drafters(self.view, count)
        return tuple(
            self._ask(Move.DRAFT, (), name).model_copy(update={"note": note}) for name in names
        )

    def repair(self, parent: Attempt) -> Ask | None:
        """A correction of a failure."""
        if not repairable(parent):
            return None
        name = generator_for(self.view, Move.REPAIR)
        if name is None:
            return None
        note = "Correct what the verdict names; change nothing else."
        return self._ask(Move.REPAIR, (parent,), name).model_copy(update={"note": note})

    def improve(self, parent: Attempt, direction: ChangeDirection | None = None) -> Ask | None:
        """One change of an accepted parent; another point where the parent is one of a template."""
        if not parent.accepted:
            return None
        move = Move.OPTIMISE
        if parent.choices and parent.generator == generator_for(self.view, Move.CONFIG):
            move = Move.CONFIG
        name = generator_for(self.view, move)
        if name is None:
            return None
        ask = self._ask(move, (parent,), name)
        if direction is None:
            return ask
        return ask.model_copy(
            update={"note": direction.note, "labels": {DIRECTION: direction.name}}
        )

    def combine(self, parents: tuple[Attempt, ...]) -> Ask | None:
        """One candidate of several accepted ones."""
        name = generator_for(self.view, Move.CROSSOVER)
        if name is None or len(parents) < 2 or not all(one.accepted for one in parents):
            return None
        note = "Combine what makes each of these fast."
        return self._ask(Move.CROSSOVER, parents, name).model_copy(update={"note": note})

    def _ask(self, move: Move, parents: tuple[Attempt, ...], generator: str) -> Ask:
        return Ask(
            task=self.view.task.task,
            move=move,
            parents=tuple(one.candidate for one in parents),
            generator=generator,
            context=CONTEXT[move],
        )


def showing(ask: Ask, shown: tuple[str, ...]) -> Ask:
    """The ask with past attempts as examples."""
    context = (*ask.context, "examples") if shown and "examples" not in ask.context else ask.context
    return ask.model_copy(update={"shown": shown, "context": context})


def marked(ask: Ask, **labels: str) -> Ask:
    """The ask with more labels."""
    return ask.model_copy(update={"labels": {**ask.labels, **labels}})
