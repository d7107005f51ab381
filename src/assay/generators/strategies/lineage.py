"""Lineage: an agent as the operator of variation, a lineage of accepted versions, a supervisor.

This is AVO's shape. Each accepted version that was faster beyond noise is one commit; the ask shows
the last versions as the history that a coding agent would read. A supervisor watches for
stagnation and redirects the search.

The rule: there is one lineage. The longer it stagnates, the farther the supervisor leads: another
direction, an earlier version, a fresh draft that must differ; then the task ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from assay.data.generation.action import Action, Ask
from assay.data.generation.search_event import Move
from assay.generators.strategies.rules.ask_builder import AskBuilder, marked, showing
from assay.generators.strategies.rules.direction import directions_for
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, stop


class Redirection(IntEnum):
    """How far the supervisor leads away, by how long nothing was gained."""

    NONE = 0
    OTHER_DIRECTION = 1
    EARLIER_VERSION = 2
    FRESH_DRAFT = 3


@dataclass(frozen=True)
class Lineage(TaskStrategy):
    """One lineage and its supervisor."""

    name = "lineage"
    asks: int = setting(60, least=0)
    plateau: int = setting(0, least=0)  # the supervisor ends a task
    patience: int = setting(4, least=1)  # asks without a gain before each redirection
    history: int = setting(5, least=0)  # versions shown

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """Repair the last failure, else vary the newest version as the supervisor says."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        if repair := self.repair_rule.asks(view, view.attempts[-1:]):
            return self._with_history(view, repair)
        if view.current is None:
            return AskBuilder(view).drafts(1)
        waited = self._waited(view)
        level = waited // self.patience
        if level > Redirection.FRESH_DRAFT:
            return stop(view, f"no gain beyond noise in {waited} asks and three redirections")
        asks = self._vary(view, Redirection(level)) or AskBuilder(view).drafts(1)
        marks = {"redirection": Redirection(level).name.lower().replace("_", " ")}
        return self._with_history(view, tuple(marked(one, **marks) for one in asks))

    def _vary(self, view: TaskView, level: Redirection) -> tuple[Ask, ...]:
        """The ask of one level of the supervisor."""
        build, newest = AskBuilder(view), view.kept[-1]
        if level is Redirection.FRESH_DRAFT:
            return build.drafts(1, "Write it anew, by an approach that no version shown here uses.")
        parent = newest
        if level is Redirection.EARLIER_VERSION:
            parent = view.kept[-2] if len(view.kept) > 1 else newest
        directions = directions_for(view, parent, 2)
        chosen = directions[-1] if level is Redirection.OTHER_DIRECTION else directions[0]
        ask = build.improve(parent, chosen)
        return () if ask is None else (ask,)

    def _waited(self, view: TaskView) -> int:
        """Asks since the newest version, repairs left out."""
        newest = view.kept[-1]
        later = [one for one in view.attempts if one.number > newest.number]
        return sum(one.move is not Move.REPAIR for one in later)

    def _with_history(self, view: TaskView, asks: tuple[Ask, ...]) -> tuple[Ask, ...]:
        """The asks with the last versions shown, the oldest first."""
        versions = [one.candidate for one in view.kept[-self.history :]] if self.history else []
        return tuple(
            showing(one, tuple(each for each in versions if each not in one.parents))
            for one in asks
        )
