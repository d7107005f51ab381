"""Planted effects are found within their interval; where there are none, none are found."""

from __future__ import annotations

import math
import random

import pytest

from assay.data.verdict import Status
from assay.scores.analysis.attribution import attribution
from assay.scores.graded import Graded, GradedTask
from graded_samples import entry

CATEGORIES, METHODS = "ABCDE", "XYZ"
BY_CATEGORY, BY_METHOD = [-2.0, -1.0, 0.0, 1.0, 2.0], [0.0, 0.8, -0.8]


def synthetic(
    seed: int, by_category: list[float], by_method: list[float], tasks: int
) -> tuple[list[GradedTask], list[Graded], float]:
    """Tasks and entries, and the share of deviance that the true category effect explains."""
    draw = random.Random(seed)
    made, entries = [], []
    chances: dict[str, list[float]] = {}
    for number in range(tasks):
        kind = draw.randrange(len(CATEGORIES))
        source = "x = 1\n" * draw.randrange(1, 30)
        made.append(GradedTask(f"t{number}", category=CATEGORIES[kind], source=source))
        for method, effect in zip(METHODS, by_method, strict=True):
            chance = 1 / (1 + math.exp(-by_category[kind] - effect))
            status = Status.ACCEPTED if draw.random() < chance else Status.INCORRECT
            entries.append(entry(f"t{number}", generator=method, status=status))
            chances.setdefault(CATEGORIES[kind], []).append(chance)
    every = [chance for found in chances.values() for chance in found]
    null = sum(map(len, chances.values())) * _entropy(sum(every) / len(every))
    left = sum(len(found) * _entropy(sum(found) / len(found)) for found in chances.values())
    return made, entries, 1 - left / null


def _entropy(chance: float) -> float:
    return -chance * math.log(chance) - (1 - chance) * math.log(1 - chance)


def test_planted_effects_are_recovered() -> None:
    tasks, entries, true = synthetic(1, BY_CATEGORY, BY_METHOD, 150)
    found = attribution(tasks, entries, repeats=60)
    category, method, difficulty = found.factors
    assert category.low is not None and category.high is not None
    assert category.low <= true <= category.high
    assert category.p is not None and category.p < 0.05
    assert method.p is not None and method.p < 0.05
    assert difficulty.p is not None and difficulty.p > 0.05
    assert found.joint is not None and category.alone is not None
    assert found.joint >= category.alone
    order = sorted(category.effects, key=lambda level: category.effects[level])
    assert order == list(CATEGORIES)
    assert method.effects["Y"] > method.effects["X"] > method.effects["Z"]


@pytest.mark.exhaustive
def test_the_interval_holds_the_planted_share_at_its_rate() -> None:
    held = 0
    for seed in range(100):
        tasks, entries, true = synthetic(1000 + seed, BY_CATEGORY, BY_METHOD, 150)
        category = attribution(tasks, entries, repeats=80).factors[0]
        assert category.low is not None and category.high is not None
        held += category.low <= true <= category.high
    # A rate of 95 % gives fewer than 88 of 100 with a probability of 0.4 %.
    assert held >= 88


def test_without_an_effect_none_is_found_beyond_the_stated_rate() -> None:
    found = {"category": 0, "method": 0}
    rounds = 24
    for seed in range(rounds):
        tasks, entries, _ = synthetic(100 + seed, [0.0] * 5, [0.0] * 3, 30)
        for factor in attribution(tasks, entries, repeats=19).factors:
            if factor.name in found and factor.p is not None:
                found[factor.name] += factor.p <= 0.05
    # A rate of 5 % gives 5 or more of 24 with a probability of 0.6 %.
    assert max(found.values()) < 5


def test_separation_is_no_error() -> None:
    tasks = [GradedTask(f"t{i}", category="AB"[i % 2]) for i in range(10)]
    status = (Status.ACCEPTED, Status.INCORRECT)
    entries = [entry(f"t{i}", status=status[i % 2]) for i in range(10)]
    found = attribution(tasks, entries, repeats=20)
    (category,) = found.factors
    assert category.alone is not None and 0.5 < category.alone < 1.0


def test_too_little_to_model_says_so() -> None:
    found = attribution([GradedTask("a")], [entry("a")])
    assert not found.factors and "1 of 1 candidates of 1 tasks" in found.reason
