"""template-search: a draft, other points by what was measured, and loud refusals."""

from __future__ import annotations

import pytest

from assay.data.generation.attempt import Attempt
from assay.data.task import Task
from assay.errors import UsageError
from assay.generators.candidate_generator import GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.generators.templates.targets.candidate_module import PlannedTask
from assay.generators.templates.template_generator import TemplateGenerator
from assay.tasks.catalog import resolve
from stored_graph import stored_plan


def _plan(task: Task) -> PlannedTask:
    return stored_plan(task.id)


def _asked(generator: TemplateGenerator, device: str, *history: Attempt) -> Proposal | NoCandidate:
    request = GenerationRequest(resolve("softmax"), device, history=history)
    return generator.propose(request, lambda _: None)


def test_the_target_follows_the_device() -> None:
    generator = TemplateGenerator(plan=_plan)
    for device, language in (("cpu", "cpp"), ("cuda", "triton")):
        answer = _asked(generator, device)
        assert isinstance(answer, Proposal)
        assert answer.candidate.language == language
        assert answer.choices["target"] == language


def test_no_point_comes_twice() -> None:
    generator, history = TemplateGenerator(plan=_plan), ()
    texts = set()
    for number in range(12):
        answer = _asked(generator, "cpu", *history)
        assert isinstance(answer, Proposal)
        texts.add(answer.candidate.id)
        attempt = Attempt(
            number=number,
            task="softmax",
            candidate=answer.candidate.id,
            choices=dict(answer.choices),
            status="accepted",
            speedup=1.0 + number % 3,
        )
        history = (*history, attempt)
    assert len(texts) == 12


def test_what_no_template_covers_has_no_candidate() -> None:
    def refuse(task: Task) -> PlannedTask:
        raise ValueError("no template covers aten.sort.default")

    answer = _asked(TemplateGenerator(plan=refuse), "cpu")
    assert isinstance(answer, NoCandidate)
    assert "aten.sort.default" in answer.reason


def test_options_are_checked() -> None:
    generator = TemplateGenerator(plan=_plan).configured({"target": "triton"})
    answer = _asked(generator, "cpu")
    assert isinstance(answer, Proposal)
    assert answer.candidate.language == "triton"
    with pytest.raises(UsageError):
        generator.configured({"target": "fortran"})
    with pytest.raises(UsageError):
        generator.configured({"blocks": "3"})


@pytest.mark.exhaustive
def test_a_candidate_of_a_real_trace_is_accepted() -> None:
    from assay import evaluate

    task = resolve("fused_add_gelu")
    answer = TemplateGenerator().propose(GenerationRequest(task, "cpu"), lambda _: None)
    assert isinstance(answer, Proposal)
    verdict = evaluate(task, answer.candidate, level="quick", timing=False)
    assert verdict.status.value == "accepted", verdict.reason
