"""A budget is weighed before an ask with what it is expected to cost."""

from __future__ import annotations

import pytest

from assay.data.generation.budget import Budget, Spend
from assay.workbench.budget_gate import refused


@pytest.mark.parametrize(
    ("spent", "expected", "why"),
    [
        (Spend(tokens=10), Spend(), ""),
        (Spend(tokens=10), Spend(tokens=90), ""),
        (Spend(tokens=10), Spend(tokens=91), "expected to take 91 tokens"),
        (Spend(tokens=100), Spend(), "budget of tokens is spent"),
        (Spend(dollars=2.0), Spend(dollars=0.01), "expected to take 0.01 dollars"),
        (Spend(seconds=1e9), Spend(trials=3), ""),
    ],
)
def test_why_no_ask_may_be_made(spent: Spend, expected: Spend, why: str) -> None:
    found = refused(Budget(tokens=100, dollars=2.005), spent, expected)
    assert why in found and bool(found) == bool(why)
