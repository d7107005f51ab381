"""BudgetGate: whether another ask may be made.

The rule: what an ask is expected to cost is weighed before it is made, and what it did cost after.
So a budget is never exceeded by more than one call.
"""

from __future__ import annotations

from assay.data.generation.budget import Budget, Spend

_NAMES = ("tokens", "dollars", "seconds", "trials")


def refused(budget: Budget, spent: Spend, expected: Spend) -> str:
    """Why no ask may be made, in words; empty where one may."""
    if name := budget.exceeded(spent):
        return f"the budget of {name} is spent: {_amount(spent, name)} of {_amount(budget, name)}"
    for name in _NAMES:
        most = getattr(budget, name)
        if most is not None and getattr(spent, name) + getattr(expected, name) > most:
            return (
                f"the next ask is expected to take {_amount(expected, name)} {name}, and of "
                f"{_amount(budget, name)} {_amount(spent, name)} are spent"
            )
    return ""


def _amount(of: Budget | Spend, name: str) -> str:
    return f"{getattr(of, name):g}"
