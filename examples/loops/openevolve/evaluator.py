"""OpenEvolve's evaluator: `evaluate(program_path)` -> metrics and artifacts, judged by Assay.

    ASSAY_TASK=softmax openevolve-run.py initial_program.py evaluator.py --config config.yaml

The initial program is any file with `ModelNew`, its kernel between the EVOLVE-BLOCK marks. With
`cascade_evaluation: true` the first stage is a smoke test without timing.
"""

import os
from functools import cache

from assay.engine.loop_evaluator import LoopEvaluator, LoopResult

TASK = os.environ.get("ASSAY_TASK", "softmax")
DEVICE = os.environ.get("ASSAY_DEVICE", "cpu")


@cache
def evaluator(level: str, timing: bool) -> LoopEvaluator:
    """One for the whole evolution: processes and exams stay."""
    return LoopEvaluator(TASK, device=DEVICE, level=level, timing=timing)


def evaluate(program_path: str):
    """The whole evaluation: right, honest, fast."""
    return _result(evaluator("quick", True)(program_path))


def evaluate_stage1(program_path: str):
    """Refuses the obvious in a second; thresholds of the cascade are on `combined_score`."""
    return _result(evaluator("smoke", False)(program_path))


evaluate_stage2 = evaluate


def _result(found: LoopResult):
    artifacts = {"verdict": found.feedback}
    try:
        from openevolve.evaluation_result import EvaluationResult
    except ImportError:  # tried by hand, without OpenEvolve
        return {"metrics": found.metrics, "artifacts": artifacts}
    return EvaluationResult(metrics=found.metrics, artifacts=artifacts)
