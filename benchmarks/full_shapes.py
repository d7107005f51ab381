"""Tasks of KernelBench's first level at their own, full shapes, each with an honest kernel.

    python benchmarks/full_shapes.py --device cuda --repo KernelBench --out out/full_shapes.jsonl
        [--level quick] [--only 19_ReLU ...] [--stop-after-s 540] [--no-timing]
    python benchmarks/full_shapes.py --repo KernelBench --copy-to FOLDER

Tensors have up to 8.6 GB. The kernels are in `full_shape_kernels/`. One line a task: status, own
workload (asked or scaled), speedup over eager, share of the speed of light, seconds. Resumable:
what is recorded is not judged again. With `--copy-to` the task files are copied, for a machine that
has no checkout, and nothing is judged.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from assay.data.settings import Level, Settings
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend
from assay.pipeline import evaluate
from assay.tasks.catalog import tasks_of

KERNELS = Path(__file__).with_name("full_shape_kernels")
LEVEL = Path("KernelBench") / "level1"
# In this order, so that a run that is cut short has some of every kind.
TASKS = {
    "19_ReLU": "relu",
    "23_Softmax": "softmax",
    "47_Sum_reduction_over_a_dimension": "sum_reduction",
    "36_RMSNorm_": "rms_norm",
    "89_cumsum": "cumsum",
    "95_CrossEntropyLoss": "cross_entropy",
    "4_Matrix_vector_multiplication_": "matrix_vector",
    "35_GroupNorm_": "group_norm",
    "51_Argmax_over_a_dimension": "argmax",
    "5_Matrix_scalar_multiplication": "matrix_scalar",
    "26_GELU_": "gelu",
    "24_LogSoftmax": "log_softmax",
    "49_Max_reduction_over_a_dimension": "max_reduction",
    "34_InstanceNorm": "instance_norm",
    "98_KLDivLoss": "kl_divergence",
    "6_Matmul_with_large_K_dimension_": "matmul_long_sums",
    "48_Mean_reduction_over_a_dimension": "mean_reduction",
    "40_LayerNorm": "layer_norm",
    "21_Sigmoid": "sigmoid",
    "25_Swish": "swish",
    "30_Softsign": "softsign",
}


def main() -> int:
    flags = parsed_flags()
    folder = level_folder(flags.repo)
    if flags.copy_to is not None:
        return copied(folder, flags.copy_to)
    missing = backend(flags.device).available()
    if missing is not None:
        print(f"device '{flags.device}' cannot be used here: {missing}", file=sys.stderr)
        return 2
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    lines = flags.out.read_text().splitlines() if flags.out.exists() else []
    rows = {row["task"]: row for row in map(json.loads, lines)}
    ends = time.monotonic() + flags.stop_after_s
    with flags.out.open("a", encoding="utf-8") as out:
        for name in flags.only or TASKS:
            if name in rows or time.monotonic() > ends:
                continue
            rows[name] = judged(folder / f"{name}.py", name, flags)
            out.write(json.dumps(rows[name]) + "\n")
            out.flush()
            print(line(rows[name]), flush=True)
    return summary(list(rows.values()))


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repo", type=Path, required=True, help="a checkout of KernelBench")
    parser.add_argument("--out", type=Path, default=Path("out/full_shapes.jsonl"))
    parser.add_argument("--level", default="quick", choices=[level.value for level in Level])
    parser.add_argument("--only", nargs="*", default=[], help="names of tasks")
    parser.add_argument("--timeout-s", type=float, default=120.0)
    parser.add_argument("--stop-after-s", type=float, default=1e9, help="begin no task later")
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--copy-to", type=Path, help="copy the task files there, and end")
    return parser.parse_args()


def level_folder(repo: Path) -> Path:
    found = [path for path in (repo / LEVEL, repo / "level1", repo) if path.is_dir()]
    return found[0]


def copied(folder: Path, target: Path) -> int:
    (target / LEVEL).mkdir(parents=True, exist_ok=True)
    for name in TASKS:
        shutil.copy(folder / f"{name}.py", target / LEVEL)
    print(f"{len(TASKS)} files in {target / LEVEL}")
    return 0


def judged(file: Path, name: str, flags: argparse.Namespace) -> dict[str, Any]:
    """One task with its kernel."""
    (task,) = tasks_of(f"kernelbench:{file}")
    settings = Settings(
        device=flags.device,
        level=Level(flags.level),
        timing=not flags.no_timing,
        timeout_s=flags.timeout_s,
    )
    began_s = time.monotonic()
    verdict = evaluate(task, KERNELS / f"{TASKS[name]}.py", settings)
    return {"task": name, **facts(verdict), "seconds": round(time.monotonic() - began_s, 1)}


def facts(verdict: Verdict) -> dict[str, Any]:
    timing = verdict.timing[0] if verdict.timing else None
    full = verdict.workloads[-1] if verdict.workloads else None
    return {
        "status": verdict.status.value,
        "own_workload": verdict.own_workload.value,
        "axes": None if full is None else full.axes,
        "budget_used": None if full is None else full.error_budget_used,
        "speedup": None if timing is None else timing.speedup,
        "candidate_us": None if timing is None else timing.candidate_us,
        "sol_fraction": None if verdict.limits is None else verdict.limits.sol_fraction,
        "reason": verdict.reason,
        "timing_reason": verdict.timing_reason,
        "limits_reason": verdict.limits_reason,
        "notes": [e.text for e in verdict.evidence][:6],
        "stages": {name: round(seconds, 1) for name, seconds in verdict.stages.items()},
    }


def line(row: dict[str, Any]) -> str:
    speedup = "-" if row["speedup"] is None else f"{row['speedup']:.2f}x"
    light = "-" if row["sol_fraction"] is None else f"{100 * row['sol_fraction']:.0f} %"
    used = "-" if row["budget_used"] is None else f"{100 * row['budget_used']:.0f} %"
    words = f"{row['status']:12} {row['own_workload']:7} {speedup:>7} {light:>6} of light"
    tail = "" if row["status"] == "accepted" else f"  {row['reason'][:160]}"
    return f"{row['task']:40} {words}, {used} of budget, {row['seconds']:.0f} s{tail}"


def summary(rows: list[dict[str, Any]]) -> int:
    asked = [row for row in rows if row["own_workload"] == "asked"]
    right = [row for row in asked if row["status"] == "accepted"]
    timed = [row for row in right if row["speedup"] is not None]
    print(
        f"{len(rows)} of {len(TASKS)} tasks judged: {len(asked)} asked at their own shape, "
        f"{len(right)} of these accepted, {len(timed)} of these timed"
    )
    return 0 if len(timed) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
