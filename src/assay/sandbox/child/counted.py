"""The program that a profiler of hardware counters starts: one candidate, one counted call.

The rule: it runs without the wall, because the counters are out of reach behind it. It is started
for candidates that the user trusts, and for no others.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from assay.devices.cuda_accelerator import CudaAccelerator
from assay.sandbox.child.batch import call_once
from assay.sandbox.child.loading import construct, load_entry
from assay.sandbox.protocol.counted_job import JOB_FILE, CountedJob
from assay.sandbox.protocol.replies import CallCode

_WARM_CALLS = 3  # the first ones compile and tune


def main(folder: str) -> int:
    """Load, warm up, and call once between the marks that the profiler looks for."""
    job: CountedJob = torch.load(Path(folder) / JOB_FILE, weights_only=False)
    accelerator = CudaAccelerator()
    instance = construct(load_entry(job.load), job.construct, torch.device("cuda"))
    inputs = [v.to("cuda") if isinstance(v, torch.Tensor) else v for v in job.inputs]
    for _ in range(_WARM_CALLS):
        outcome = call_once(instance, inputs, None)
        accelerator.finish()
        if outcome.code is not CallCode.RETURNED:
            sys.stderr.write(f"the call failed: {outcome.message}\n")
            return 1
    torch.cuda.profiler.start()
    call_once(instance, inputs, None)
    accelerator.finish()
    torch.cuda.profiler.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
