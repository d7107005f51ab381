"""What `evaluate` accepts, and what it says of a mistake before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay import UsageError, pipeline
from assay.data.settings import Cache, Level, Settings, Track
from assay.judge_process.messages import Job
from assay.pipeline import evaluate, evaluate_many, settings_of

TASK = """
import torch

class Model(torch.nn.Module):
    "Twice."
    def forward(self, x):
        return x * 2

def get_inputs():
    return [torch.randn(4)]

def get_init_inputs():
    return []
"""
KERNEL = "class ModelNew: ...\n"


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Every job that would be handed to a judge process."""
    made: list[Job] = []
    monkeypatch.setattr(pipeline, "judgements", lambda job, progress: made.append(job) or iter(()))
    return made


def test_sources_paths_and_records_are_accepted(jobs: list[Job], tmp_path: Path) -> None:
    task, kernel = tmp_path / "twice.py", tmp_path / "kernel.py"
    task.write_text(TASK)
    kernel.write_text(KERNEL)
    evaluate_many(TASK, [KERNEL, kernel, str(kernel)])
    evaluate_many(task, list(jobs[0].candidates))
    evaluate_many(jobs[0].task, ())
    assert len({candidate.id for job in jobs for candidate in job.candidates}) == 1
    assert len({job.task.content_id for job in jobs}) == 1
    assert [job.task.id for job in jobs] == ["source_text", "twice", "source_text"]
    assert jobs[0].task.title == "Twice."


def test_settings_by_name_stand_over_the_record(jobs: list[Job]) -> None:
    base = Settings(track=Track.OPEN, timeout_s=7.0)
    evaluate_many("softmax", [], base, level="quick", timing=False, cache="both")
    expected = Settings(
        track=Track.OPEN, timeout_s=7.0, level=Level.QUICK, timing=False, cache=Cache.BOTH
    )
    assert jobs[0].settings == expected
    assert settings_of(None, {}) == Settings()


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        (("softmax", KERNEL), {"speed": "high"}, "unknown setting 'speed'; known: device, track"),
        (("softmax", KERNEL), {"level": "deep"}, "setting level: Input should be 'smoke'"),
        (("softmax", KERNEL), {"timeout_s": 0}, "timeout_s must be a positive number"),
        (("softmax", KERNEL), {"device": "tpu"}, "unknown device 'tpu'; known: cpu, cuda"),
        (("softmax", KERNEL, "quick"), {}, "settings is a Settings, not str"),
        (("softmix", KERNEL), {}, "unknown task 'softmix': did you mean softmax"),
        (("softmax", "no_such_kernel.py"), {}, "cannot read no_such_kernel.py"),
        (("softmax", 3), {}, "a candidate is a path, a source or a Candidate, not int"),
        (("x = 1\n", KERNEL), {}, "the task's source has no Model, get_inputs"),
        (("def f(:\n", KERNEL), {}, "the task's source is not Python"),
    ],
)
def test_a_mistake_is_one_usage_error_before_anything_starts(
    arguments: tuple[Any, ...], options: dict[str, Any], told: str, jobs: list[Job]
) -> None:
    with pytest.raises(UsageError) as caught:
        evaluate(*arguments, **options)
    assert told in str(caught.value) and "\n" not in str(caught.value)
    assert jobs == []


def test_one_candidate_in_place_of_a_list_is_a_mistake(jobs: list[Job]) -> None:
    with pytest.raises(UsageError, match="candidates is a list"):
        evaluate_many("softmax", "kernel.py")
