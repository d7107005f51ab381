"""Logistic: a logistic model with an L2 penalty, fitted by Newton's method.

The rule: the penalty keeps coefficients finite where a level has no success or no failure
(separation); the intercept is not penalised. Rows are (features, successes, trials), so equal rows
may be added up before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PENALTY = 0.5
_STEPS = 30
_ENOUGH = 1e-7


@dataclass(frozen=True)
class Fit:
    """Coefficients, the intercept first, and the deviance of the data under them."""

    coefficients: Floats
    deviance: float


def fit(features: Floats, successes: Floats, trials: Floats, penalty: float = PENALTY) -> Fit:
    """Minimise -log likelihood + penalty / 2 x sum of squared coefficients."""
    import numpy as np

    design = np.column_stack([np.ones(len(successes)), features])
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 1e-9
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -30.0, 30.0)))
        gradient = design.T @ (successes - trials * chance) - ridge * found
        weights = trials * chance * (1.0 - chance)
        hessian = (design.T * weights) @ design + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        found = found + step
        if float(np.abs(step).max()) < _ENOUGH:
            break
    chance = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -30.0, 30.0)))
    return Fit(found, deviance(chance, successes, trials))


def deviance(chance: Floats, successes: Floats, trials: Floats) -> float:
    """-2 log likelihood of single trials; those of a perfect model are 0."""
    import numpy as np

    safe = np.clip(chance, 1e-12, 1.0 - 1e-12)
    likelihood = successes * np.log(safe) + (trials - successes) * np.log1p(-safe)
    return float(-2.0 * likelihood.sum())


def explained(features: Floats, successes: Floats, trials: Floats) -> float | None:
    """1 - deviance(model) / deviance(intercept alone); None where all or none succeed."""
    import numpy as np

    total = trials.sum()
    share = successes.sum() / total if total else 0.0
    if not 0.0 < share < 1.0:
        return None
    null = deviance(np.full(len(successes), share), successes, trials)
    return 1.0 - fit(features, successes, trials).deviance / null
