"""Exam amounts: how much is asked of one candidate, by level. All that is tuned about it is here.

The rule: an amount bounds time alone. No verdict follows from one, and every kind of question is
asked at every level that has an amount for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.settings import Level


@dataclass(frozen=True)
class ExamAmounts:
    """What one level asks."""

    soft_budget_s: float  # of the candidate's own time, for the calls of the script
    own_rounds: int  # of special calls on the own shape
    # Distinct contents and weights of these rounds: who begins to remember late shows it by the
    # order of the calls, and a truth of the own shape costs more than all calls of a round.
    own_contents: int
    tail_calls: tuple[int, int]  # of small shapes, a number drawn from this range
    small_but_one: int  # parameters that keep their scale, one at a time, beside small ones
    repeated_s: float | None  # of the host's time, for calls of one workload that are repeated
    relations: int  # pairs of calls
    small_shapes: int = 3  # on which every special call is made
    brief: bool = False  # of the own shape few calls, and the weights on their own scale alone


AMOUNTS = {
    Level.SMOKE: ExamAmounts(
        soft_budget_s=5.0,
        own_rounds=1,
        own_contents=1,
        tail_calls=(16, 28),
        small_but_one=0,
        repeated_s=None,
        relations=0,
        small_shapes=1,
        brief=True,
    ),
    Level.QUICK: ExamAmounts(
        soft_budget_s=10.0,
        own_rounds=1,
        own_contents=1,
        tail_calls=(12, 24),
        small_but_one=0,
        repeated_s=None,
        relations=0,
    ),
    Level.STANDARD: ExamAmounts(
        soft_budget_s=12.0,
        own_rounds=2,
        own_contents=1,
        tail_calls=(24, 64),
        small_but_one=2,
        repeated_s=1.0,
        relations=6,
    ),
    Level.FULL: ExamAmounts(
        soft_budget_s=300.0,
        own_rounds=4,
        own_contents=4,
        tail_calls=(48, 160),
        small_but_one=6,
        repeated_s=8.0,
        relations=16,
    ),
}
LEAST_CALLS = 32  # that one instance must return: a candidate that counts calls counts further
