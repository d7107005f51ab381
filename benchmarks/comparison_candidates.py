"""The candidates of the comparison: what offline generators make of native tasks, on either device.

The rule: every candidate is written out with its generator, and a task that a generator has nothing
for is written down with the reason.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.data.workload import Direction
from assay.errors import UsageError
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.eager_source import EagerSource
from assay.generators.inductor_cpp_source import InductorCppSource
from assay.generators.inductor_triton_source import InductorTritonSource
from assay.languages.candidate_file import load_candidate
from assay.tasks.catalog import tasks_of

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from corpus_case import CUDA_CORPUS, cases  # noqa: E402
from device_agnostic import applies_on_cuda  # noqa: E402

TASKS = ("softmax", "gelu", "swiglu", "layernorm", "rmsnorm", "linear_relu", "matmul")
HAND = "hand"
GENERATORS = {
    "cpu": ("eager", "inductor-cpp", HAND),
    "cuda": ("eager", "inductor-triton", HAND),
}
SOURCES: dict[str, type[CandidateSource]] = {
    "eager": EagerSource,
    "inductor-cpp": InductorCppSource,
    "inductor-triton": InductorTritonSource,
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
_MOST_BY_HAND = 2  # kernels of one task on a GPU
_ELSEWHERE = {
    "inductor-cpp": ("cpu", "it writes C++ for a CPU; use --device cpu"),
    "inductor-triton": ("cuda", "it writes Triton and needs a GPU to be made; use --device cuda"),
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
        if name not in (*SOURCES, HAND):
            known = ", ".join((*SOURCES, HAND))
            raise UsageError(f"unknown generator '{name}': known are {known}")
        own, reason = _ELSEWHERE.get(name, (device, ""))
        if own != device:
            raise UsageError(f"the generator {name} has nothing for {device}: {reason}")


def hand_written(device: str) -> dict[str, list[Path]]:
    """Kernels that people wrote, by native task; on a GPU the Triton of the corpus and examples."""
    if device == "cpu":
        return {task: [ROOT / path for path in paths] for task, paths in BY_HAND.items()}
    native = {task.id for task in tasks_of("native")}
    honest = [one for one in (*cases(CUDA_CORPUS), *cases()) if one.label == "honest"]
    moved = [one for one in honest if one.task_source in native and applies_on_cuda(one)]
    found: dict[str, list[Path]] = {}
    for task, path in [(one.task, one.path) for one in moved] + _examples(native):
        if load_candidate(path).language == "triton":
            found.setdefault(task, []).append(path)
    return {task: sorted(paths, key=_is_odd)[:_MOST_BY_HAND] for task, paths in found.items()}


def _is_odd(path: Path) -> bool:
    """Whether a kernel of the corpus is there for something beside its arithmetic."""
    return path.stem == "kernel" and not path.parent.name.startswith("triton_")


def _examples(native: set[str]) -> list[tuple[str, Path]]:
    paths = sorted((ROOT / "examples").glob("*/*triton*.py"))
    return [
        (path.parent.name, path)
        for path in paths
        if path.parent.name in native and not path.name.startswith(("wrong__", "cheat__"))
    ]


def gpu_tasks(most: int) -> list[str]:
    """Tasks that have a kernel by hand, then others; in each part the categories come in turn."""
    by_hand = hand_written("cuda")
    tasks = [one for one in tasks_of("native") if one.direction is Direction.FORWARD]
    parts = [[one for one in tasks if (one.id in by_hand) is own] for own in (True, False)]
    return [one.id for part in parts for one in _in_turns(part)][:most]


def _in_turns(tasks: list[Task]) -> list[Task]:
    groups: dict[str, list[Task]] = {}
    for one in tasks:
        name = next((tag for tag in one.tags if tag.startswith("category:")), "")
        groups.setdefault(name, []).append(one)
    for found in groups.values():
        random.Random(0).shuffle(found)
    turns = zip_longest(*(groups[name] for name in sorted(groups)))
    return [one for one in chain.from_iterable(turns) if one is not None]


def made(task: Task, name: str, device: str) -> Iterator[tuple[Task, Candidate] | Missing]:
    """What one generator has for a task."""
    if name == HAND:
        paths = hand_written(device).get(task.id, [])
        if not paths:
            yield Missing(task.id, HAND, "nobody wrote one")
        yield from ((task, load_candidate(path)) for path in paths)
        return
    found = SOURCES[name]().candidate(task)
    yield Missing(task.id, name, found.reason) if isinstance(found, NoCandidate) else (task, found)


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
