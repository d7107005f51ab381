"""A plain loop over a ring of inputs: the stopwatch that anybody would use.

    python benchmarks/plain_loop.py TASK

Prints the microseconds of a call, the median of several passes. The loop is `result = model(x)`.
A block of 31 MiB is freed first: in a process that has never freed a large block, glibc gives the
memory of every result back to the kernel, and a call of the 0.9 ms softmax takes 5 to 8 ms, of
which 672 page faults a call are the reason.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import torch

from assay.tasks.catalog import resolve

RING_BYTES = 192 << 20
MOST = 1024
PASS_S = 0.05
PASSES = 15


def main() -> None:
    print(loop_us(sys.argv[1]))


def loop_us(name: str) -> float:
    """Microseconds of one call of a native task's reference."""
    task, scope = resolve(name), {"__name__": "task"}
    exec(task.source, scope)  # the reference is our own
    made: Any = scope
    torch.empty(31 << 20, dtype=torch.uint8)
    model = made[task.entry](*made["get_init_inputs"]())
    first = made["get_inputs"]()
    nbytes = sum(x.nbytes for x in first if isinstance(x, torch.Tensor))
    with torch.no_grad():
        model(*first)
        start = time.perf_counter()
        model(*first)
        each_s = time.perf_counter() - start
        count = max(2, min(MOST, int(PASS_S / each_s), RING_BYTES // (2 * nbytes)))
        ring = [made["get_inputs"]() for _ in range(count)]
        passed = [one_pass(model, ring) for _ in range(PASSES + 2)]
    return statistics.median(passed[2:])


def one_pass(model: Any, ring: list[list[Any]]) -> float:
    start = time.perf_counter()
    for inputs in ring:
        result = model(*inputs)  # noqa: F841  alive until the next call has returned
    return 1e6 * (time.perf_counter() - start) / len(ring)


if __name__ == "__main__":
    main()
