"""KernelAgent's test of a kernel, by Assay instead of a test that the same model wrote.

    from assay_test import test_code
    agent = TritonKernelAgent(num_workers=4, max_rounds=10)
    agent.generate_kernel(problem_description, test_code=test_code("softmax"))

KernelAgent puts the test beside `kernel.py`, whose `kernel_function` takes the inputs of the problem,
and reads the exit code and the output of the test. For tasks without parameters.
"""

from pathlib import Path

from assay.engine.loop_evaluator import LoopEvaluator, LoopResult, as_module

SCRIPT = '''"""Judges kernel.py beside this file. The exit code is 0 where it is accepted."""

import sys
from pathlib import Path

sys.path.insert(0, {folder!r})
from assay_test import judged
from assay.engine.loop_evaluator import LoopEvaluator

# from kernel import kernel_function   (Assay loads it behind its wall, not here)


def test_kernel():
    with LoopEvaluator({task!r}, device={device!r}, level={level!r}) as evaluator:
        found = judged(Path(__file__).with_name("kernel.py"), evaluator)
    print("PASS" if found.accepted else "FAIL", found.feedback)
    return found.accepted


if __name__ == "__main__":
    sys.exit(0 if test_kernel() else 1)
'''


def test_code(task: str, device: str = "cuda", level: str = "quick") -> str:
    """The text of a test for KernelAgent."""
    folder = str(Path(__file__).parent)
    return SCRIPT.format(folder=folder, task=task, device=device, level=level)


def judged(kernel: Path, evaluator: LoopEvaluator) -> LoopResult:
    """What Assay finds of a file with `kernel_function`."""
    return evaluator(as_module(kernel.read_text(), "kernel_function"))


test_code.__test__ = False  # not a test of pytest's
