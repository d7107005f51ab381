"""A public evaluator on the example kernels: what KernelBench's own correctness check accepts.

    python benchmarks/public_evaluator.py --checkout FOLDER_OF_KERNELBENCH

The rule: KernelBench's functions decide (they load both modules, and `run_and_check_correctness`
compares them in five trials); none of their text is in this tree. They ask for a GPU: its
synchronisation is replaced by nothing, since kernels on a CPU have finished when they return.
Reference and candidate share a process that is thrown away, with no sandbox around it: the examples
do no harm, other kernels may.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import types
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
NATIVE = Path(__file__).parents[1] / "src" / "assay" / "tasks" / "native"
TRIALS = 5
TIMEOUT_S = 300
ACCEPTED, REFUSED = 10, 11  # exit codes; any other is a process that died


def main() -> int:
    flags = parsed_flags()
    if flags.one is not None:
        return ACCEPTED if accepts(flags.checkout, *flags.one) else REFUSED
    for candidate in sorted(EXAMPLES.glob("*/*__*.py")):
        task = NATIVE / f"{candidate.parent.name}.py"
        answer = answered_apart(flags.checkout, task, candidate)
        print(f"{answer:9} {candidate.relative_to(EXAMPLES)}", flush=True)
    return 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of KernelBench")
    parser.add_argument("--one", type=Path, nargs=2, metavar=("TASK", "CANDIDATE"))
    return parser.parse_args()


def answered_apart(checkout: Path, task: Path, candidate: Path) -> str:
    """KernelBench's answer about one candidate, given in a process of its own."""
    command = [sys.executable, __file__, "--checkout", checkout, "--one", task, candidate]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "timed out"
    answers = {ACCEPTED: "accepted", REFUSED: "refused"}
    return answers.get(done.returncode, f"died: {done.returncode}")


def accepts(checkout: Path, task: Path, candidate: Path) -> bool:
    """KernelBench's answer about one candidate, in this process."""
    import torch

    evaluator = kernelbench_eval(checkout)
    model, init_inputs, inputs = evaluator.load_original_model_and_inputs(task.read_text(), {})
    new, _ = evaluator.load_custom_model_with_tempfile(candidate.read_text())
    torch.cuda.synchronize = lambda device=None: None
    with torch.no_grad():
        evaluator.set_seed(42)
        reference = model(*init_inputs())
        evaluator.set_seed(42)
        kernel = new(*init_inputs())
    result = evaluator.run_and_check_correctness(
        reference, kernel, inputs, {}, TRIALS, device=torch.device("cpu"), backend="triton"
    )
    return bool(result.correctness)


def kernelbench_eval(checkout: Path) -> types.ModuleType:
    """KernelBench's `eval`, without the package's own imports: those serve models and downloads."""
    package = sys.modules["kernelbench"] = types.ModuleType("kernelbench")
    package.__path__ = [str(checkout / "src" / "kernelbench")]
    for name in ("requests", "datasets"):
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
    return importlib.import_module("kernelbench.eval")


if __name__ == "__main__":
    sys.exit(main())
