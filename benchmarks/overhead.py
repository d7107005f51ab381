"""What a further candidate costs beyond its build and its kernels. The goal is 150 ms.

    python benchmarks/overhead.py [TASK CANDIDATE]

The candidate is judged several times in one call; the first pays for the task's exam and is left
out. Waiting for the candidate's process (its build, its calls) is subtracted.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from assay.context import EvaluationContext
from assay.data.settings import Level, Settings
from assay.judge_process.judging import evaluate_in_order
from assay.languages.candidate_file import load_candidate
from assay.languages.language_registry import language
from assay.sandbox.host.sandboxed_process import SandboxedProcess
from assay.sandbox.host.wall import Wall
from assay.tasks.catalog import resolve

REPEATS = 8
EXAMPLE = ("softmax", "examples/softmax/honest__cpp_three_pass.py")


def main() -> None:
    task, candidate = sys.argv[1:3] if len(sys.argv) > 2 else EXAMPLE
    waited_s: list[float] = []
    end = Wall.end

    def noting_end(wall: Wall, process: SandboxedProcess) -> None:
        waited_s.append(process.waited_s)
        end(wall, process)

    Wall.end = noting_end  # type: ignore[method-assign]
    for level in (Level.QUICK, Level.STANDARD):
        waited_s.clear()
        settings = Settings(level=level, timing=False)
        loaded = load_candidate(Path(candidate))
        with Wall(language(loaded.language).preload, expected=REPEATS) as wall:
            context = EvaluationContext(wall, resolve(task), settings, None)
            judged = evaluate_in_order(context, [loaded] * REPEATS)
            elapsed_s = [judgement.verdict.elapsed_s for judgement in judged]
        own_s = [e - w for e, w in zip(elapsed_s[1:], waited_s[1:], strict=True)]
        print(
            f"{level}: median {1e3 * statistics.median(own_s):.0f} ms, "
            f"largest {1e3 * max(own_s):.0f} ms beside {1e3 * statistics.median(waited_s):.0f} ms "
            f"of build and calls; the first candidate took {elapsed_s[0]:.1f} s"
        )


if __name__ == "__main__":
    main()
