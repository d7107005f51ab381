"""The usual protocol of public evaluators, written anew: one fresh process for each sample.

    python benchmarks/one_process_protocol.py TASK.py CANDIDATE.py [--device cuda]

Own shape, five seeds, `allclose`, then a hundred timed calls; reference and candidate share the
process. The last line on stdout is a JSON object. `benchmarks/throughput.py` counts how many of
these a minute there are. The rule: nothing here is slower than the protocol asks: one reference
call a seed, three warm-up calls, and only the candidate is timed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

SEEDS, WARM_UPS, CALLS = 5, 3, 100
TOLERANCE = 1e-2


def loaded(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def sample(task_path: Path, candidate_path: Path, device: str) -> dict[str, Any]:
    import torch

    task, candidate = loaded(task_path, "task"), loaded(candidate_path, "candidate")
    torch.manual_seed(42)
    reference = task.Model(*task.get_init_inputs()).to(device)
    torch.manual_seed(42)
    kernel = candidate.ModelNew(*task.get_init_inputs()).to(device)
    correct = True
    with torch.no_grad():
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            inputs = [x.to(device) for x in task.get_inputs()]
            expected, got = reference(*inputs), kernel(*inputs)
            close = torch.allclose(expected, got, atol=TOLERANCE, rtol=TOLERANCE)
            correct = correct and expected.shape == got.shape and close
        latency_us = timed(kernel, inputs, device)
    return {"correct": bool(correct), "latency_us": latency_us}


def timed(kernel: Any, inputs: list[Any], device: str) -> float:
    """The mean of a hundred calls."""
    import torch

    for _ in range(WARM_UPS):
        kernel(*inputs)
    if device != "cuda":
        seconds = []
        for _ in range(CALLS):
            began = time.perf_counter()
            kernel(*inputs)
            seconds.append(time.perf_counter() - began)
        return statistics.mean(seconds) * 1e6
    torch.cuda.synchronize()
    times_us = []
    for _ in range(CALLS):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        kernel(*inputs)
        end.record()
        torch.cuda.synchronize()
        times_us.append(start.elapsed_time(end) * 1e3)
    return statistics.mean(times_us)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=Path)
    parser.add_argument("candidate", type=Path)
    parser.add_argument("--device", default="cuda")
    flags = parser.parse_args()
    print(json.dumps(sample(flags.task, flags.candidate, flags.device)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
