"""Entrants of the refusal benchmark: kernels that must be accepted, and precision mutants.

The rule: an honest kernel enters in its own track, a task's own reference in `open`. The mutants
compute the right thing in too low a precision, so only the error budget can tell them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Track
from assay.data.task import Task
from assay.languages.candidate_file import load_candidate
from assay.tasks.catalog import resolve, tasks_of
from corpus_case import CORPUS, CorpusCase, cases

EXAMPLES = Path(__file__).parents[1] / "examples"
PRECISION_MUTANTS = (
    "attention/half_weights",
    "attention/int8_scores",
    "conv2d/half_operands",
    "cross_entropy/half_logits",
    "gelu/half_inside",
    "kb_bf16_linear/bf16_accumulator",
    "kb_bf16_linear/int8_weight_rows",
    "kb_bf16_linear/truncating_store",
    "kb_conv_relu_gap/bf16_activations",
    "kb_conv_relu_gap/half_operands",
    "kb_cross_entropy_3/logits_cast_to_half",
    "kb_masked_attention/half_probabilities",
    "kb_small_init_attention/bf16_qkv",
    "layernorm/half_gain",
    "linear_relu/bfloat_weights",
    "matmul/half_operands",
    "matmul/truncated_operands",
    "rmsnorm/brain_squares",
    "row_sum/half_accumulator",
    "softmax/half_exponentials",
    "swiglu/brain_sigmoid",
)


class Suite(StrEnum):
    """Which tasks' honest kernels and references take part."""

    NATIVE = "native"
    FOREIGN = "foreign"
    ALL = "all"


class Kind(StrEnum):
    """What an entrant is, and so what is demanded of it."""

    HONEST = "honest"
    REFERENCE = "reference"
    PRECISION = "precision"


@dataclass(frozen=True)
class Entrant:
    """One candidate, the task it is judged on, and the track it enters."""

    kind: Kind
    task: str
    name: str
    candidate: Candidate
    track: Track


def entrants(suite: Suite) -> list[Entrant]:
    """Everyone, by task and name."""
    found = [*_from_corpus(suite), *_references(suite)]
    if suite is not Suite.FOREIGN:
        found += _examples()
    return sorted(found, key=lambda one: (one.task, one.name))


def spread(everyone: list[Entrant], count: int) -> list[Entrant]:
    """So many of those that must be accepted, taken from all tasks in turn."""
    place: dict[str, int] = {}
    ranked = []
    for one in everyone:
        if one.kind is not Kind.PRECISION:
            place[one.task] = place.get(one.task, 0) + 1
            ranked.append((place[one.task], one))
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])[:count]]


def _in_suite(native: bool, suite: Suite) -> bool:
    return suite is Suite.ALL or native == (suite is Suite.NATIVE)


def _from_corpus(suite: Suite) -> Iterator[Entrant]:
    for case in cases():
        mutant = f"{case.task}/{case.name}" in PRECISION_MUTANTS
        if mutant or (case.label == "honest" and _in_suite(case.task_source == case.task, suite)):
            yield _of_case(case, Kind.PRECISION if mutant else Kind.HONEST)


def _of_case(case: CorpusCase, kind: Kind) -> Entrant:
    name = f"{case.task}/{case.name}"
    return Entrant(kind, case.task_source, name, load_candidate(case.candidate), Track(case.track))


def _references(suite: Suite) -> Iterator[Entrant]:
    if suite is not Suite.FOREIGN:
        for task in tasks_of("native"):
            yield reference(task, task.id, task.id)
    if suite is not Suite.NATIVE:
        for path in CORPUS.glob("*/task.py"):
            yield reference(resolve(str(path)), str(path), path.parent.name)


def reference(task: Task, source: str, name: str) -> Entrant:
    """The task's own model under the name of a candidate; `source` is what the task is found by."""
    text = f"{task.source}\n\nModelNew = {task.entry}\n"
    file, name = SourceFile(path="kernel.py", text=text), f"{name}/reference"
    candidate = Candidate(name=name, language="torch", sources=(file,))
    return Entrant(Kind.REFERENCE, source, name, candidate, Track.OPEN)


def _examples() -> Iterator[Entrant]:
    for path in EXAMPLES.glob("*/honest__*"):
        task = path.parent.name
        name = f"{task}/{path.stem}"
        yield Entrant(Kind.HONEST, task, name, load_candidate(path), Track.KERNEL)
