"""GraphSearch: every attempt is a node, and one operator is applied to the node that is selected.

This is KernelEvolve's shape. What the operator does follows from its node: nothing, a failure or an
accepted kernel to start from. Its context is chosen anew for each ask: limits, profile, knowledge,
and past attempts of any task that are like the node.

The rule: selection looks at the whole graph. Fitness is the lower end of the speedup's interval
over the best of the task; a failure has none; what is quarantined is no node.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from assay.data.generation.action import Action, Ask
from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.generators.knowledge.retrieval import AttemptIndex
from assay.generators.strategies.rules.ask_builder import AskBuilder, marked, showing
from assay.generators.strategies.rules.direction import directions_for
from assay.generators.strategies.rules.task_view import TaskView
from assay.generators.strategies.strategy_settings import setting
from assay.generators.strategies.task_strategy import TaskStrategy, stop


@dataclass(frozen=True)
class SearchNode:
    """A place to apply the operator at; without an attempt it is the root, where drafts begin."""

    attempt: Attempt | None
    fitness: float
    visits: int


@dataclass(frozen=True)
class GraphSearch(TaskStrategy):
    """One universal operator, selection over the whole graph."""

    name = "graph"
    asks: int = setting(60, least=0)
    plateau: int = setting(15, least=0)
    policy: str = setting("uct", words=("uct", "greedy", "sample"))
    explore: float = setting(0.5, least=0)  # the weight of exploration in `uct`
    temperature: float = setting(0.2, least=0.01)  # of `sample`
    width: int = setting(2, least=1)  # nodes selected at a time
    shown: int = setting(2, least=0)  # past attempts in a prompt

    def step(self, view: TaskView) -> tuple[Action, ...]:
        """The operator at each selected node."""
        if reason := self.stop_rule.reason(view):
            return stop(view, reason)
        chosen = self._selected(self._nodes(view), view.chance(self.name))
        asks = [ask for node in chosen if (ask := self._operator(view, node)) is not None]
        return tuple(asks) or AskBuilder(view).drafts(1)

    def _nodes(self, view: TaskView) -> list[SearchNode]:
        """The root, accepted attempts, and failures that may still be repaired."""
        top = max((one.speedup_low or 0.0 for one in view.ranked), default=0.0) or 1.0
        drafts = view.asked(Move.DRAFT)
        drafted = [(one.speedup_low or 0.0) / top if one.accepted else 0.0 for one in drafts]
        root = SearchNode(None, sum(drafted) / len(drafted) if drafted else 0.0, len(drafts))
        nodes = []
        for one in view.by_id.values():
            visits = sum(one.candidate in later.parents for later in view.attempts)
            if one.accepted:
                nodes.append(SearchNode(one, (one.speedup_low or 0.0) / top, visits))
            elif self.repair_rule.allows(view, one):
                nodes.append(SearchNode(one, 0.0, visits))
        return [*nodes, root]  # last: of equals, what exists is preferred to a draft

    def _selected(self, nodes: list[SearchNode], chance: random.Random) -> list[SearchNode]:
        """The nodes to expand, by the policy; before anything is known, the root alone."""
        if len(nodes) == 1:
            return nodes * self.width
        if self.policy == "sample":
            weights = [math.exp(one.fitness / self.temperature) for one in nodes]
            drawn = chance.choices(range(len(nodes)), weights, k=self.width)
            return self._within_repair_cap([nodes[place] for place in dict.fromkeys(drawn)])
        total = sum(one.visits for one in nodes)
        weight = self.explore if self.policy == "uct" else 0.0

        def score(one: SearchNode) -> float:
            return one.fitness + weight * math.sqrt(math.log(total + 1) / (one.visits + 1))

        ranked = sorted(nodes, key=lambda one: -score(one))  # the sort keeps ties in order
        return self._within_repair_cap(ranked[: self.width])

    def _within_repair_cap(self, nodes: list[SearchNode]) -> list[SearchNode]:
        """At most one repair at a time, so that side by side they cannot pass the cap."""
        kept, repairs = [], 0
        for one in nodes:
            repairs += one.attempt is not None and not one.attempt.accepted
            if repairs <= 1 or one.attempt is None or one.attempt.accepted:
                kept.append(one)
        return kept

    def _operator(self, view: TaskView, node: SearchNode) -> Ask | None:
        """The one operator: its move and context follow from the node and its visits."""
        build, one = AskBuilder(view), node.attempt
        if one is None:
            ask = next(iter(build.drafts(1)), None)
            context: tuple[str, ...] = ("limits", "knowledge")
        elif one.accepted:
            ask = build.improve(one, directions_for(view, one)[0])
            parts = ("profile", "limits"), ("limits", "knowledge"), ("profile", "knowledge")
            context = parts[node.visits % len(parts)]
        else:
            ask = build.repair(one)
            context = (
                ("explanation",) if one.status == "incorrect" else ("explanation", "knowledge")
            )
        if ask is None:
            return None
        similar = AttemptIndex.of_state(view.state).similar(view.task, one, self.shown)
        shown = tuple(found.attempt.candidate for found in similar)
        chosen = showing(ask.model_copy(update={"context": context}), shown)
        return marked(chosen, context=" ".join(chosen.context))
