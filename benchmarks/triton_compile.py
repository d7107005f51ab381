"""What compiling costs a Triton candidate: shape after shape, and the way that is shipped.

    PYTHONPATH=src python benchmarks/triton_compile.py [--count 8] [--level standard]
        [--tasks softmax gelu layernorm row_sum] [--wrong 1] [--record out/triton_compile.jsonl]

Kernels are generated: every one differs in its text, so none is met in a cache. Each is judged
three times in a context of its own: `serial` (no warm-up: calls compile one after the other),
`shipped` (with an empty cache), and `again` (with what that left). The seconds of compiling are
those of the first two beyond the third. All three draw their own shapes; the verdicts must agree.
One line a candidate: kernels compiled, seconds, the stages of the shipped way, verdicts.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.judge_process.judging import judge_job
from assay.judge_process.messages import Job
from assay.run_context import RunContext
from assay.tasks.catalog import resolve

_HEAD = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel_{number}({pointers}rows, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WIDTH)
    inside = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=inside, other={other})
{body}
    tl.store(y_ptr + row * columns + column, y{spoil}, mask=inside)


class ModelNew(torch.nn.Module):
{init}
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1] if x.dim() else 1
        if x.numel():
            rows = x.numel() // columns
            kernel_{number}[(rows,)](
                {arguments}rows, columns, WIDTH=triton.next_power_of_2(columns), num_warps={warps}
            )
        return y
"""
_PLAIN = ("x_ptr, y_ptr, ", "x, y, ", "")
_BODIES = {
    "softmax": (
        _PLAIN,
        '-float("inf")',
        """    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)""",
    ),
    "gelu": (_PLAIN, "0.0", "    y = 0.5 * x * (1.0 + tl.erf(x * 0.70710678118654752))"),
    "layernorm": (
        (
            "x_ptr, y_ptr, weight_ptr, bias_ptr, eps, ",
            "x, y, self.weight, self.bias, self.eps, ",
            """    def __init__(self, columns, eps=1e-5):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(columns))
        self.bias = torch.nn.Parameter(torch.zeros(columns))
        self.eps = eps
""",
        ),
        "0.0",
        """    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + column, mask=inside)
    y = centred * scale * weight + tl.load(bias_ptr + column, mask=inside)""",
    ),
    "row_sum": (_PLAIN, "0.0", "    y = tl.sum(x, axis=0)"),
}


def generated(task: str, number: int, wrong: bool) -> Candidate:
    """A kernel of its own; a wrong one is wrong everywhere."""
    (pointers, arguments, init), other, body = _BODIES[task]
    text = _HEAD.format(
        number=number,
        pointers=pointers,
        arguments=arguments,
        init=init,
        other=other,
        body=body,
        spoil=" * 1.01 + 0.01" if wrong else "",
        warps=(4, 8, 2)[number % 3],
    )
    if task == "row_sum":
        text = text.replace("tl.store(y_ptr + row * columns + column, y", "tl.store(y_ptr + row, y")
        text = text.replace(", mask=inside)\n\n\nclass", ")\n\n\nclass")
        text = text.replace(
            "y = torch.empty_like(x)", "y = torch.empty(x.shape[:-1], device=x.device)"
        )
    file = SourceFile(path="kernel.py", text=text)
    return Candidate(name=f"{task}_{number}", language="triton", sources=(file,))


@contextmanager
def serial() -> Iterator[None]:
    """No candidate is warmed up."""
    shipped = RunContext.needs_warmup
    RunContext.needs_warmup = lambda *_: False  # type: ignore[method-assign]
    try:
        yield
    finally:
        RunContext.needs_warmup = shipped  # type: ignore[method-assign]


def judged(task: str, candidate: Candidate, settings: Settings) -> dict[str, Any]:
    """Seconds, stages and status of one verdict."""
    began = time.monotonic()
    job = Job(task=resolve(task), candidates=(candidate,), settings=settings)
    (judgement,) = list(judge_job(job, lambda *_: None))
    verdict = judgement.verdict
    return {
        "wall_s": round(time.monotonic() - began, 2),
        "elapsed_s": round(verdict.elapsed_s, 2),
        "status": verdict.status.value,
        "reason": verdict.reason,
    }


def compilations(folder: str) -> int:
    """Kernels that a compiler left in the one build that a folder keeps."""
    found = 0
    for path in Path(folder).glob("*.tar"):
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as tar:
            found += sum(name.endswith((".cubin", ".hsaco")) for name in tar.getnames())
    return found


def row_of(task: str, candidate: Candidate, settings: Settings) -> dict[str, Any]:
    """All three ways."""
    row: dict[str, Any] = {"candidate": candidate.name, "level": settings.level.value}
    for way in ("serial", "shipped", "again"):
        if way != "again":
            folder = os.environ["ASSAY_CACHE"] = tempfile.mkdtemp(prefix="triton_compile_")
        if way == "serial":
            with serial():
                row[way] = judged(task, candidate, settings)
            shutil.rmtree(folder, ignore_errors=True)
        else:
            row[way] = judged(task, candidate, settings)
    row["compilations"] = compilations(folder)
    shutil.rmtree(folder, ignore_errors=True)
    again_s = row["again"]["elapsed_s"]
    row["serial_compiling_s"] = round(row["serial"]["elapsed_s"] - again_s, 2)
    row["shipped_compiling_s"] = round(row["shipped"]["elapsed_s"] - again_s, 2)
    row["equal"] = len({row[way]["status"] for way in ("serial", "shipped", "again")}) == 1
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=8, help="candidates, in turns over the tasks")
    parser.add_argument("--wrong", type=int, default=1, help="how many of them are wrong, the last")
    parser.add_argument("--level", type=Level, choices=list(Level), default=Level.STANDARD)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--timing", action="store_true")
    parser.add_argument("--tasks", nargs="+", default=list(_BODIES), choices=list(_BODIES))
    parser.add_argument("--record", type=Path, default=Path("out/triton_compile.jsonl"))
    flags = parser.parse_args()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    settings = Settings(device=flags.device, level=flags.level, timing=flags.timing)
    unequal = 0
    with flags.record.open("w") as file:
        for number in range(flags.count):
            task = flags.tasks[number % len(flags.tasks)]
            # Its number makes every run's kernels new.
            unique = number + 1000 * (time.time_ns() % 1_000_000)
            candidate = generated(task, unique, wrong=number >= flags.count - flags.wrong)
            row = row_of(task, candidate, settings)
            unequal += not row["equal"]
            file.write(json.dumps(row) + "\n")
            file.flush()
            statuses = "/".join(row[way]["status"] for way in ("serial", "shipped", "again"))
            print(
                f"{row['candidate']:24} {row['compilations']:3} kernels  compiling "
                f"{row['serial_compiling_s']:6.2f} -> {row['shipped_compiling_s']:6.2f} s  verdict "
                f"{row['serial']['elapsed_s']:6.2f} -> {row['shipped']['elapsed_s']:6.2f} s  "
                f"{statuses}{'' if row['equal'] else '  UNEQUAL'}",
                flush=True,
            )
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
