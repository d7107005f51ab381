"""CountedKernels: how often a model with kernels in it calls each of them in one forward.

    the patched model + a forward that counts -> a process with a sandbox -> one number a kernel

The model is made and called as the judge makes and calls it: of the same task, in the same mode, on
inputs of its own shape.

The rule: kernels are a stranger's code and run in the sandbox only. A count that could not be taken
is a TaskError, never a zero.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.data.record import Record
from assay.data.settings import Settings
from assay.devices.device_registry import for_judging
from assay.errors import TaskError

_COUNTING = """

class ModelNew(ModelNew):
    \"\"\"Returns how often each kernel was called.\"\"\"

    def forward(self, *inputs):
        counts = [0] * {kernels}

        def counting(number):
            def hook(*_):
                counts[number] += 1

            return hook

        hooks = [
            getattr(self, f"kernel_{{number}}").register_forward_hook(counting(number))
            for number in range({kernels})
        ]
        super().forward(*inputs)
        for one in hooks:
            one.remove()
        device = next((one.device for one in inputs if isinstance(one, torch.Tensor)), "cpu")
        return torch.tensor(counts, dtype=torch.int64, device=device)
"""


class CountRequest(Record):
    """What to call, and how it is built."""

    task: str  # path
    candidate: str  # text of a candidate that returns its counts
    kernels: int
    settings: Settings


class CountAnswer(Record):
    """One count a kernel, or why there are none."""

    counts: tuple[int, ...] = ()
    reason: str = ""


def counting_text(applied: str, kernels: int) -> str:
    """The patched model with a forward that returns counts in the place of its results."""
    return applied.rstrip("\n") + "\n" + _COUNTING.format(kernels=kernels)


def kernel_calls(task: Path, applied: str, kernels: int, settings: Settings) -> tuple[int, ...]:
    """Calls in one forward, in the order of the kernels; a TaskError says why that failed."""
    text = counting_text(applied, kernels)
    request = CountRequest(task=str(task), candidate=text, kernels=kernels, settings=settings)
    limit_s = settings.timeout_s + settings.build_timeout_s
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "request.json").write_text(request.model_dump_json(), encoding="utf-8")
        command = [sys.executable, "-m", "assay.workbench.models.counted_kernels_process", place]
        try:
            ended = subprocess.run(
                command,
                capture_output=True,
                timeout=limit_s,
                check=False,
                env=os.environ | for_judging(settings.device).environment(),
            )
        except subprocess.TimeoutExpired as error:
            raise TaskError(f"calls of kernels were not counted within {limit_s:.0f} s") from error
        return _read(folder / "answer.json", ended, kernels)


def _read(path: Path, ended: subprocess.CompletedProcess[bytes], kernels: int) -> tuple[int, ...]:
    last = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    if not path.exists():
        raise TaskError(f"calls of kernels were not counted: {' '.join(last)}")
    answer = CountAnswer.model_validate_json(path.read_text("utf-8"))
    if answer.reason or len(answer.counts) != kernels:
        raise TaskError(f"calls of kernels were not counted: {answer.reason or 'no answer'}")
    return answer.counts
