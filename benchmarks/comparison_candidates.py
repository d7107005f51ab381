"""The candidates of the comparison: what three offline generators make of seven native tasks.

The rule: every candidate is written out with its generator, and a task that a generator has nothing
for is written down with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.eager_source import EagerSource
from assay.generators.inductor_cpp_source import InductorCppSource
from assay.languages.candidate_file import load_candidate
from assay.tasks.catalog import resolve

ROOT = Path(__file__).parents[1]
TASKS = ("softmax", "gelu", "swiglu", "layernorm", "rmsnorm", "linear_relu", "matmul")
HAND = "hand"
GENERATORS = ("eager", "inductor-cpp", HAND)
SOURCES: dict[str, type[CandidateSource]] = {
    "eager": EagerSource,
    "inductor-cpp": InductorCppSource,
}
BY_HAND = {
    "softmax": (
        "examples/softmax/honest__cpp_three_pass.py",
        "tests/corpus/softmax/polynomial_exponential/kernel.py",
    ),
    "gelu": (
        "tests/corpus/gelu/float_erfc/kernel.py",
        "tests/corpus/gelu/numba_vectorize/kernel.py",
    ),
    "swiglu": ("tests/corpus/swiglu/openmp_expf/kernel.py",),
    "layernorm": (
        "examples/layernorm/honest__numba_two_pass.py",
        "tests/corpus/layernorm/openmp_tasks/kernel.py",
    ),
    "rmsnorm": ("tests/corpus/rmsnorm/double_sum/kernel.py",),
    "linear_relu": ("examples/linear_relu/honest__cpp_packed_weight.py",),
    "matmul": ("examples/matmul/honest__cpp_blocked.py",),
}
_ON_A_GPU = {
    "inductor-triton": "turning Inductor's Triton source into stand-alone candidates is not "
    "written yet; on a CPU use inductor-cpp",
    "inductor-cpp": "it writes C++ for a CPU; use --device cpu",
    HAND: "the kernels by hand are for a CPU; use --device cpu",
}


@dataclass(frozen=True)
class Missing:
    """A task that a generator has no candidate of."""

    task: str
    generator: str
    reason: str


def check_generators(names: list[str], device: str) -> None:
    """An unknown name, or one that has nothing for the device, is the user's mistake."""
    for name in names:
        if name not in (*GENERATORS, "inductor-triton"):
            raise UsageError(f"unknown generator '{name}': known are {', '.join(GENERATORS)}")
        if name in _ON_A_GPU and (device != "cpu" or name == "inductor-triton"):
            raise UsageError(f"the generator {name} has nothing for {device}: {_ON_A_GPU[name]}")


def made(names: list[str], tasks: list[str]) -> Iterator[tuple[Task, Candidate] | Missing]:
    """Every candidate of every generator, task by task."""
    for task in map(resolve, tasks):
        for name in names:
            if name == HAND:
                yield from _by_hand(task)
                continue
            found = SOURCES[name]().candidate(task)
            if isinstance(found, NoCandidate):
                yield Missing(task.id, name, found.reason)
            else:
                yield task, found


def _by_hand(task: Task) -> Iterator[tuple[Task, Candidate] | Missing]:
    paths = BY_HAND.get(task.id, ())
    if not paths:
        yield Missing(task.id, HAND, "nobody wrote one")
    for path in paths:
        yield task, load_candidate(ROOT / path)


def line_of(task: Task, candidate: Candidate, sample: int) -> str:
    """One line of the file that `assay run --candidates` reads."""
    by = candidate.provenance.generator
    fields = {
        "task": task.id,
        "generator": by.name if by else HAND,
        "sample": sample,
        "name": candidate.name if by else f"{task.id}/{HAND}/{_short(candidate.name)}",
        "source": candidate.main.text,
    }
    seconds = candidate.provenance.seconds
    return json.dumps(fields if seconds is None else {**fields, "seconds": round(seconds, 3)})


def _short(name: str) -> str:
    """`honest__cpp_blocked.py` is `cpp_blocked`; `NAME/kernel.py` is NAME."""
    path = Path(name)
    return path.parent.name if path.stem == "kernel" else path.stem.rpartition("__")[2]
