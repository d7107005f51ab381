"""The honesty and refusal benchmarks: the naive check, what is kept, what is read back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from device_record import FAILED, DeviceFinding, DeviceRecord
from honesty_record import Found, HonestyRecord
from naive_check import NaiveCheck
from refusal_entrants import (
    PRECISION_MUTANTS,
    Kind,
    Suite,
    entrants,
    reference,
    spread,
)
from refusal_record import Evaluation, RefusalRecord

from assay.data.settings import Level, Track
from assay.data.verdict import Status
from assay.tasks.catalog import resolve
from corpus_case import cases

TASK = """
import torch
class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = torch.nn.Linear(n, n)
    def forward(self, x):
        return self.fc(x), x + 1
def get_inputs():
    return [torch.randn(3, 4)]
def get_init_inputs():
    return [4]
"""
RIGHT = TASK.replace("Model", "ModelNew")


def naively(folder: Path, kernel: str) -> None:
    (folder / "task.py").write_text(TASK)
    (folder / "kernel.py").write_text(kernel)
    NaiveCheck(str(folder / "task.py"), str(folder / "kernel.py"))


@pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(RIGHT, id="right"),
        pytest.param(RIGHT.replace("x + 1", "x + 1 + 1e-5"), id="within the tolerance"),
        pytest.param(RIGHT.replace("x + 1", "torch.ones(3, 4) + x"), id="one shape only"),
    ],
)
def test_the_naive_check_accepts(kernel: str, tmp_path: Path) -> None:
    naively(tmp_path, kernel)


@pytest.mark.parametrize(
    "kernel",
    [
        pytest.param(RIGHT.replace("x + 1", "x + 1.001"), id="value"),
        pytest.param(RIGHT.replace("x + 1", "(x + 1)[:, :, None]"), id="shape"),
        pytest.param(RIGHT.replace(", x + 1", ","), id="outputs missing"),
        pytest.param(RIGHT.replace("n, n)", "n, n, bias=False)"), id="weights"),
        pytest.param("raise RuntimeError", id="raises"),
    ],
)
def test_the_naive_check_refuses(kernel: str, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, ValueError, RuntimeError)):
        naively(tmp_path, kernel)


def test_the_honesty_record_is_read_back_and_counts_by_group(tmp_path: Path) -> None:
    corpus = cases()
    cheat = next(case for case in corpus if case.group == "cheat")
    name = f"{cheat.task}/{cheat.name}"
    record = HonestyRecord(tmp_path / "record.jsonl")
    record.add(Found(name, "accepted", False), "cheat", 0.5)
    record.add(Found(name, "dishonest", True, 0), "cheat", 1.0)
    record.add(Found(name, "suspicious", False, 1), "cheat", 1.0)
    again = HonestyRecord(tmp_path / "record.jsonl")
    assert again.has(None, name) and again.has(1, name) and not again.has(2, name)
    (line,) = [line for line in again.table(corpus) if line.startswith("cheat")]
    assert " ".join(line.split()) == "cheat 1 of 1 0 of 2 1 of 2"
    assert not again.all_as_asked(corpus)


def evaluation(kind: Kind, status: Status, used: float | None) -> Evaluation:
    return Evaluation(
        level=Level.STANDARD,
        round=0,
        kind=kind,
        task="softmax",
        candidate=f"softmax/{kind}",
        status=status,
        used=used,
        where="rows=1",
        reason="",
        elapsed_s=1.0,
    )


@pytest.mark.parametrize(
    ("kind", "status", "used", "clean"),
    [
        (Kind.HONEST, Status.ACCEPTED, 0.3, True),
        (Kind.HONEST, Status.ACCEPTED, None, True),
        (Kind.HONEST, Status.ACCEPTED, 0.6, False),
        (Kind.REFERENCE, Status.SUSPICIOUS, 0.1, False),
        (Kind.PRECISION, Status.INCORRECT, 60.0, True),
        (Kind.PRECISION, Status.INCORRECT, 1.5, False),
        (Kind.PRECISION, Status.INCORRECT, None, False),
    ],
)
def test_what_the_refusal_benchmark_demands(
    kind: Kind, status: Status, used: float | None, clean: bool, tmp_path: Path
) -> None:
    record = RefusalRecord(tmp_path / "record.jsonl")
    record.add(evaluation(kind, status, used))
    again = RefusalRecord(tmp_path / "record.jsonl")
    assert again.clean is clean
    assert len(again.summary()) == 1


def test_every_named_mutant_and_every_reference_enters() -> None:
    everyone = entrants(Suite.NATIVE)
    mutants = {one.name for one in everyone if one.kind is Kind.PRECISION}
    assert mutants == set(PRECISION_MUTANTS)
    wanted = [one for one in everyone if one.kind is not Kind.PRECISION]
    assert 5 * len(wanted) >= 300
    techniques = {c.technique for c in cases() if c.label == "honest"}
    assert {"other_summation_order", "double_accumulation", "kahan", "fma_contraction"} < techniques


def test_the_evaluations_at_full_come_from_all_tasks() -> None:
    everyone = entrants(Suite.NATIVE)
    chosen = spread(everyone, 40)
    assert len(chosen) == 40 and all(one.kind is not Kind.PRECISION for one in chosen)
    tasks = {one.task for one in everyone if one.kind is not Kind.PRECISION}
    assert len({one.task for one in chosen}) == min(40, len(tasks))


def test_a_reference_enters_under_the_candidates_name(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(TASK)
    path = str(tmp_path / "task.py")
    entrant = reference(resolve(path), path, "own")
    assert entrant.track is Track.OPEN and entrant.name == "own/reference"
    naively(tmp_path, entrant.candidate.main.text)


def test_the_device_record_keeps_verdicts_and_tries_our_own_failures_again(tmp_path: Path) -> None:
    path = tmp_path / "device.jsonl"
    facts = ("dishonest", True, ("memo",), "a memo", 1.5, "a GPU")
    kept = DeviceFinding("corpus_cuda/softmax/memo", 0, "cheat", *facts)
    failed = DeviceFinding("corpus_cuda/gelu/flat", 0, "honest", FAILED, False, (), "ours", 0.1, "")
    for finding in (kept, failed):
        DeviceRecord(path).add(finding)
    record = DeviceRecord(path)
    assert record.has(kept.case, 0) and not record.has(kept.case, 1)
    assert not record.has(failed.case, 0)
    assert record.all_as_labelled({kept.case}) and not record.all_as_labelled({failed.case})
    assert record.summary({kept.case})[-4:] == [
        "cheat    1 of 1 as labelled",
        "wrong    0 of 0 as labelled",
        "honest   0 of 0 as labelled",
        "a GPU",
    ]
