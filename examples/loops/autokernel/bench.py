"""AutoKernel's `bench.py`, judged by Assay: the same lines on stdout, measured by someone else.

    uv run bench.py > run.log

Put it in place of AutoKernel's own and set ASSAY_TASK. `kernel.py` holds `kernel_fn`, which takes
the inputs of the task in order, or `ModelNew`. The exit code is 0 where the kernel is accepted. A
gain counts only where the lower end of the interval is above that of the version before:
`speedup_low` is printed beside `speedup_vs_pytorch`.
"""

import os
import sys
from pathlib import Path

from assay.engine.loop_evaluator import LoopEvaluator, LoopResult, as_module

TASK = os.environ.get("ASSAY_TASK", "softmax")
DEVICE = os.environ.get("ASSAY_DEVICE", "cuda")


def bench(kernel: Path, evaluator: LoopEvaluator) -> LoopResult:
    """What Assay finds of a file with `kernel_fn`."""
    return evaluator(as_module(kernel.read_text(), "kernel_fn"))


def report(found: LoopResult) -> str:
    """The lines that an agent looks for in the log; a figure that is not known is left out."""
    lines = {"correctness": "PASS" if found.accepted else "FAIL", "status": found.status}
    timing = found.verdict.timing[0] if found.accepted and found.verdict.timing else None
    if timing is not None:
        lines |= {
            "latency_us": f"{timing.candidate_us:.3f}",
            "speedup_vs_pytorch": f"{timing.speedup:.3f}",
            "speedup_low": f"{timing.speedup_low:.3f}",
        }
    limits = found.verdict.limits if found.accepted else None
    if limits is not None and limits.flops_per_s is not None:
        lines["throughput_tflops"] = f"{limits.flops_per_s / 1e12:.3f}"
    if limits is not None and limits.iou is not None:
        lines["pct_peak_bandwidth"] = f"{100 * limits.iou:.1f}"
    if limits is not None and limits.mfu is not None:
        lines["pct_peak_compute"] = f"{100 * limits.mfu:.1f}"
    text = "".join(f"{name}: {value}\n" for name, value in lines.items())
    return f"{text}\n{found.feedback}\n"


if __name__ == "__main__":
    with LoopEvaluator(TASK, device=DEVICE, level="quick") as own:
        result = bench(Path(__file__).with_name("kernel.py"), own)
    sys.stdout.write(report(result))
    sys.exit(0 if result.accepted else 1)
