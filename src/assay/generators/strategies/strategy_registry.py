"""The strategies by name: ours, and those of other distributions.

The rule: a strategy's module is imported when it is asked for by name, never before.
"""

from __future__ import annotations

from assay.generators.strategies.strategy import Strategy
from assay.plugins import Registry

_HERE = "assay.generators.strategies"

STRATEGIES: Registry[Strategy] = Registry(
    Strategy,
    "assay.strategies",
    {
        "best-of-n": f"{_HERE}.best_of_n:BestOfN",
        "greedy": f"{_HERE}.greedy:Greedy",
        "beam": f"{_HERE}.beam:Beam",
        "islands": f"{_HERE}.islands:Islands",
        "graph": f"{_HERE}.graph:GraphSearch",
        "lineage": f"{_HERE}.lineage:Lineage",
        "bandit": f"{_HERE}.bandit:Bandit",
        "memory": f"{_HERE}.value_memory:ValueMemory",
        "limit-steering": f"{_HERE}.limit_steering:LimitSteering",
    },
)


def strategy(name: str) -> Strategy:
    """The strategy of that name."""
    return STRATEGIES.get(name)
