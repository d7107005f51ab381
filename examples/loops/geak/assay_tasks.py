"""A dataset for GEAK's agents: tasks of Assay as problems, and Assay as the test of a kernel.

    from assay_tasks import AssayTasks
    agent = GaAgent(model=model, dataset=AssayTasks(["softmax", "rmsnorm"]), corpus_path=...)

GEAK asks a dataset for its problems and for `test_opt_correctness`. The first two values of its
answer are whether the kernel ran and whether it is right; texts for the reflector follow.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from assay.engine.judge import Judge
from assay.engine.loop_evaluator import LoopEvaluator, LoopResult
from assay.tasks.catalog import resolve

INSTRUCTION = """Write a Triton kernel for this PyTorch module, in a class ModelNew with the same
constructor, parameter names, inputs and outputs. Your own kernel computes the answer.

{source}"""
RAN = ("accepted", "incorrect", "suspicious", "dishonest")


@dataclass
class Problem:
    """What GEAK reads of a problem. There is no golden code: the reference is Assay's."""

    instruction: str
    filename: str
    label: str = ""
    test_code: str = ""
    solution: str | None = None


class AssayTasks:
    """Problems of Assay's tasks, tested by Assay."""

    def __init__(self, tasks: list[str], judge: Judge | None = None, **settings: object) -> None:
        self.judge = judge or Judge(**({"level": "quick"} | settings))
        self.rocm_tests = False
        self.problem_states = self.load_ps(None, tasks)
        self.results: dict[str, LoopResult] = {}

    def load_ps(self, path: str | None, tasks: list[str]) -> list[Problem]:
        """One problem a task; the file's name says which."""
        found = []
        for name in tasks:
            instruction = INSTRUCTION.format(source=resolve(name).source)
            found.append(Problem(instruction, f"{name}.py"))
        return found

    def __len__(self) -> int:
        return len(self.problem_states)

    def test_opt_correctness(self, code, filename, tmp_dir, save_scripts=True, exe_dir="pass_exe"):
        """Whether it ran, whether it is right, and stdout and stderr of both tests."""
        task = filename.removesuffix(".py")
        source = code if code.endswith("\n") else code + "\n"  # one line without an end is a path
        found = LoopEvaluator(task, judge=self.judge)(source)
        self.results[filename] = found
        if found.accepted and save_scripts:
            Path(exe_dir).mkdir(parents=True, exist_ok=True)
            Path(exe_dir, filename).write_text(code)
        ran = found.status in RAN
        said = found.feedback
        return ran, found.accepted, "", "" if ran else said, said if found.accepted else "", said

    def latency_ms(self, filename: str) -> float | None:
        """The measured time of the last kernel of a problem; None where there is none."""
        found = self.results.get(filename)
        return found.latency_us / 1000 if found and found.latency_us else None

    def write_file(self, file_path, start_idx=0, datalen=None):
        """The solutions so far, one JSON line each."""
        import json

        os.makedirs(os.path.dirname(file_path) or ".", exist_ok=True)
        end = None if datalen is None else start_idx + datalen
        with open(file_path, "w") as file:
            for one in self.problem_states[start_idx:end]:
                line = {"instruction": one.instruction, "filename": one.filename}
                file.write(json.dumps(line | {"predict": one.solution or ""}) + "\n")
