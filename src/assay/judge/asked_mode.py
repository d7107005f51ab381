"""Asked mode: the remark on a task that was asked in eval mode although it is left in training.

The rule: it says what a verdict does not cover. It changes neither status nor answers.
"""

from __future__ import annotations

from assay.data.observations.observation import EvalModeSeen
from assay.judge.judge_input import JudgeInput

_REMARK = "the reference is random in training mode: it was asked in eval mode alone"


def remarks(case: JudgeInput) -> tuple[str, ...]:
    """The sentence, where it is so."""
    return tuple(_REMARK for _ in case.seen(EvalModeSeen))
