"""ShinkaEvolve's evaluation script: writes `correct.json` and `metrics.json` into a folder.

    python evaluate.py --program_path PROGRAM --results_dir FOLDER

Name it as `eval_program_path` of the job configuration. The program is a file with `ModelNew`, its
kernel between the EVOLVE-BLOCK marks. `text_feedback` goes into the next prompt where
`use_text_feedback` is set.
"""

import argparse
import json
import os
from pathlib import Path

from assay.engine.loop_evaluator import LoopEvaluator, LoopResult

TASK = os.environ.get("ASSAY_TASK", "softmax")
DEVICE = os.environ.get("ASSAY_DEVICE", "cpu")


def main(program_path: str, results_dir: str, evaluator: LoopEvaluator) -> LoopResult:
    """Judge a program and leave what Shinka reads."""
    found = evaluator(program_path)
    folder = Path(results_dir)
    folder.mkdir(parents=True, exist_ok=True)
    error = None if found.accepted else found.feedback
    metrics = {
        "combined_score": found.score,
        "public": {name: value for name, value in found.metrics.items() if name != "combined_score"},
        "private": {"status": found.status},
        "text_feedback": found.feedback,
    }
    (folder / "correct.json").write_text(json.dumps({"correct": found.accepted, "error": error}))
    (folder / "metrics.json").write_text(json.dumps(metrics))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    given = parser.parse_args()
    with LoopEvaluator(TASK, device=DEVICE, level="quick") as own:
        main(given.program_path, given.results_dir, own)
