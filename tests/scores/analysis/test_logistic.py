"""The penalised fit is the minimum of what it minimises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.scores.analysis.logistic import deviance, explained, fit

DRAW = np.random.default_rng(7)
FEATURES = DRAW.normal(size=(60, 3))
TRIALS = DRAW.integers(1, 5, 60).astype(float)
SUCCESSES = DRAW.binomial(TRIALS.astype(int), 1 / (1 + np.exp(-FEATURES[:, 0]))).astype(float)


@pytest.mark.parametrize("penalty", [0.1, 0.5, 5.0])
def test_newton_finds_what_a_general_minimiser_finds(penalty: float) -> None:
    design = np.column_stack([np.ones(60), FEATURES])

    def cost(coefficients: np.ndarray) -> float:  # type: ignore[type-arg]
        chance = 1 / (1 + np.exp(-design @ coefficients))
        return deviance(chance, SUCCESSES, TRIALS) / 2 + penalty / 2 * (coefficients[1:] ** 2).sum()

    other = minimize(cost, np.zeros(4), method="BFGS").x
    assert fit(FEATURES, SUCCESSES, TRIALS, penalty).coefficients == pytest.approx(other, abs=1e-4)


def test_rows_may_be_added_up_before() -> None:
    twice = fit(np.vstack([FEATURES, FEATURES]), np.tile(SUCCESSES, 2), np.tile(TRIALS, 2))
    once = fit(FEATURES, 2 * SUCCESSES, 2 * TRIALS)
    assert twice.coefficients == pytest.approx(once.coefficients)


def test_all_or_none_explains_nothing() -> None:
    assert explained(FEATURES, TRIALS, TRIALS) is None
    assert explained(FEATURES, 0 * TRIALS, TRIALS) is None
    found = explained(FEATURES, SUCCESSES, TRIALS)
    assert found is not None and 0.0 < found < 1.0
