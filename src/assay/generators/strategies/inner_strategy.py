"""InnerStrategy: the strategies that others may be built around, by name.

The rule: an inner strategy follows the stop and repair settings of the one around it.
"""

from __future__ import annotations

from dataclasses import fields, replace

from assay.generators.strategies.beam import Beam
from assay.generators.strategies.best_of_n import BestOfN
from assay.generators.strategies.graph import GraphSearch
from assay.generators.strategies.greedy import Greedy
from assay.generators.strategies.islands import Islands
from assay.generators.strategies.lineage import Lineage
from assay.generators.strategies.task_strategy import TaskStrategy

INNER = {one.name: one for one in (BestOfN, Greedy, Beam, Islands, GraphSearch, Lineage)}


def inner_strategy(name: str, around: TaskStrategy) -> TaskStrategy:
    """The strategy of this name with the settings of the one around it."""
    shared = {one.name: getattr(around, one.name) for one in fields(TaskStrategy)}
    inner = replace(INNER[name](), **shared)
    return replace(inner, n=max(1, around.asks or 10**6)) if isinstance(inner, BestOfN) else inner
