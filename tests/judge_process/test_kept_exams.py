"""What a judge process keeps from job to job, and when it lets go of it; nothing is judged here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.data.workload import Workload
from assay.judge_process import kept_exams
from assay.judge_process.kept_exams import KeptExams
from assay.judge_process.messages import Done, Job, Keep
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve
from sample_records import judgement


@dataclass
class Made:
    """Stand-ins for walls and contexts, counted."""

    walls: int = 0
    closed_walls: int = 0
    contexts: int = 0
    closed_contexts: int = 0

    def wall(self, *_: Any, **__: Any) -> Any:
        self.walls += 1
        made = self

        class Wall:
            def expect(self, count: int) -> None: ...

            def close(self) -> None:
                made.closed_walls += 1

        return Wall()

    def context(self, *_: Any) -> Any:
        self.contexts += 1
        made = self

        class Context:
            def close(self) -> None:
                made.closed_contexts += 1

        return Context()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    found = Made()
    monkeypatch.setattr("assay.sandbox.host.wall.Wall", found.wall)
    monkeypatch.setattr("assay.context.EvaluationContext", found.context)
    monkeypatch.setattr(kept_exams, "resident_bytes", lambda: 0)
    return found


def candidates(count: int) -> tuple[Candidate, ...]:
    return tuple(candidate_of_text(f"import torch\n# {number}\n") for number in range(count))


def job(task: str = "softmax", count: int = 1, **changes: Any) -> Job:
    given = {"keep": Keep(exams=2, candidates=8), "settings": Settings()} | changes
    return Job(task=resolve(task), candidates=candidates(count), **given)


def served(kept: KeptExams, one: Job, status: Status = Status.ACCEPTED) -> Done:
    kept.warm_up(one)
    kept.context(one)
    kept.note(judgement(one.candidates[0], one.settings, status))
    return kept.settled(one)


def test_the_second_job_of_a_task_finds_its_exam(made: Made) -> None:
    kept = KeptExams()
    assert served(kept, job()).drawn == 1
    assert served(kept, job()).drawn == 1
    assert served(kept, job(settings=Settings(level="quick"))).drawn == 2
    assert served(kept, job("gelu")).drawn == 3
    assert (made.walls, made.contexts) == (1, 3)
    kept.close()
    assert made.closed_walls == 1


def test_without_leave_to_keep_nothing_is_kept(made: Made) -> None:
    kept = KeptExams()
    assert served(kept, job(keep=None)) == Done(drawn=1)
    assert (made.walls, made.closed_walls) == (1, 1)


def test_the_least_recently_used_exam_goes_first(made: Made) -> None:
    kept = KeptExams()
    for name in ("softmax", "gelu", "softmax", "layernorm"):
        done = served(kept, job(name))
    assert (done.exams, made.closed_contexts) == (2, 1)
    assert served(kept, job("softmax")).drawn == 3
    assert served(kept, job("gelu")).drawn == 4


def test_an_exam_serves_a_bounded_number_of_candidates(made: Made) -> None:
    kept = KeptExams()
    drawn = [served(kept, job(count=3)).drawn for _ in range(5)]
    assert drawn == [1, 1, 2, 2, 3]
    assert made.closed_contexts == 2


def test_a_replay_neither_finds_nor_leaves_an_exam(made: Made) -> None:
    kept = KeptExams()
    plan = Plan.of(Settings(), "ab" * 32, (Workload(axes={}, dtype="float32"),))
    assert served(kept, job()).drawn == 1
    done = served(kept, job(replay=plan))
    assert (done.drawn, done.exams, made.closed_contexts) == (2, 1, 1)
    assert served(kept, job()).drawn == 2


def test_exams_of_different_secrets_are_kept_apart(made: Made) -> None:
    kept = KeptExams()
    one, other = (Plan.of(Settings(), secret * 32, ()) for secret in ("ab", "cd"))
    drawn = [served(kept, job(replay=plan)).drawn for plan in (one, one, other, one)]
    assert drawn == [1, 1, 2, 2]


@pytest.mark.parametrize(("status", "walls"), [(Status.NOT_RUN, 1), (Status.INVALID_TASK, 0)])
def test_what_failed_is_not_kept(made: Made, status: Status, walls: int) -> None:
    kept = KeptExams()
    assert served(kept, job(), status).exams == 0
    assert (made.closed_walls, made.closed_contexts) == (walls, 1)
    assert served(kept, job()).drawn == 2


def test_memory_beyond_the_limit_costs_exams_and_then_the_process(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, keep = KeptExams(), Keep(resident_bytes=1000)
    served(kept, job("softmax", keep=keep))
    served(kept, job("gelu", keep=keep))
    monkeypatch.setattr(kept_exams, "resident_bytes", lambda: 2000 - 900 * made.closed_contexts)
    done = served(kept, job("layernorm", keep=keep))
    assert (done.exams, done.spent, done.resident_bytes) == (1, "", 200)
    monkeypatch.setattr(kept_exams, "resident_bytes", lambda: 5 << 20)
    done = served(kept, job("layernorm", keep=keep))
    assert (done.exams, done.spent) == (0, "its memory grew to 5 MB")


def test_a_process_whose_settings_a_task_changed_serves_no_more(made: Made) -> None:
    kept = KeptExams()
    assert served(kept, job()).spent == ""
    kept.warm_up(job())
    kept.context(job())
    torch.set_default_dtype(torch.float64)
    try:
        assert "default_dtype" in kept.settled(job()).spent
    finally:
        torch.set_default_dtype(torch.float32)


def test_another_language_gets_a_wall_of_its_own(made: Made) -> None:
    kept = KeptExams()
    served(kept, job())
    triton = job().model_copy(
        update={"candidates": (candidates(1)[0].model_copy(update={"language": "triton"}),)}
    )
    assert served(kept, triton).drawn == 2 and made.walls == 2


def test_a_baseline_file_that_changed_is_another_exam(made: Made, tmp_path: Any) -> None:
    kept, file = KeptExams(), tmp_path / "baseline.py"
    file.write_text("import torch\n")
    settings = Settings(baselines=(str(file),))
    assert served(kept, job(settings=settings)).drawn == 1
    file.write_text("import torch\n# other\n")
    assert served(kept, job(settings=settings)).drawn == 2
