"""TemplateGenerator: candidates from templates, and a search over their parameters.

A draft is the default point; every other ask is the next point of the search. C++ with OpenMP is
written for a processor, Triton for a GPU; the search is the same.

The rule: a template guarantees what is computed; a point only says how. A task that no template
covers has no candidate, and the reason says what is missing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Self

from assay.data.candidate import Candidate, Provenance
from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Spend
from assay.data.generator import Generator
from assay.data.task import Task
from assay.errors import UsageError
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.generators.templates.config_search import Trial, next_point
from assay.generators.templates.config_space import ConfigSpace
from assay.generators.templates.targets.candidate_module import PlannedTask, Target
from assay.languages.candidate_file import candidate_of_text

_MOST_PLANS = 64


class TemplateGenerator(CandidateGenerator):
    """One template, many points."""

    name = "template-search"

    def __init__(self, target: str = "", plan: Callable[[Task], PlannedTask] | None = None) -> None:
        self._target = target  # empty: what the device has
        self._plan = plan  # None: traced in a process
        self._plans: OrderedDict[str, PlannedTask | str] = OrderedDict()  # by the task's content

    def configured(self, options: Mapping[str, str]) -> Self:
        """`target=cpp` or `target=triton`, whatever the device."""
        unknown = sorted(set(options) - {"target"})
        if unknown:
            raise UsageError(f"generator '{self.name}' has no option {unknown[0]!r}; known: target")
        if options.get("target", "cpp") not in ("cpp", "triton"):
            raise UsageError("option 'target' of 'template-search' is cpp or triton")
        return type(self)(options.get("target", self._target), self._plan)

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """The next point as a candidate."""
        start = time.perf_counter()
        planned = self._planned(request.task)
        if isinstance(planned, str):
            return NoCandidate(planned)
        target = self._written_in(request)
        if request.languages and target.language not in request.languages:
            return NoCandidate(f"templates are written in {target.language} on {request.device}")
        try:
            space = target.space(planned)
            point = next_point(space, _trials(space, request.tried), request.seed)
            if point is None:
                return NoCandidate(f"all {space.size} points of the template were tried")
            text = target.text(planned, point)
        except ValueError as problem:
            return NoCandidate(str(problem))
        seconds = time.perf_counter() - start
        rationale = f"point of {space.size}: " + ", ".join(f"{n}={v}" for n, v in point.items())
        return Proposal(
            candidate=_candidate(request, text, seconds),
            choices={**point, "target": target.language},
            rationale=rationale,
            spent=Spend(seconds=seconds),
        )

    def space(self, task: Task, device: str) -> ConfigSpace | None:
        """The parameters of a task's template; None where no template covers it."""
        planned = self._planned(task)
        if isinstance(planned, str):
            return None
        return self._written_in(GenerationRequest(task, device)).space(planned)

    def _written_in(self, request: GenerationRequest) -> Target:
        from assay.generators.templates.targets.cpp_target import CppTarget
        from assay.generators.templates.targets.triton_target import TritonTarget

        usual = "cpp" if request.device == "cpu" else "triton"
        return CppTarget() if (self._target or usual) == "cpp" else TritonTarget()

    def _planned(self, task: Task) -> PlannedTask | str:
        """The plan, or why there is none; kept, because tracing takes seconds."""
        from assay.generators.templates.planned_task import planned_task

        key = f"{task.content_id}:{task.direction}"
        if key not in self._plans:
            try:
                self._plans[key] = (self._plan or planned_task)(task)
            except ValueError as problem:
                self._plans[key] = f"no template covers the task: {problem}"
            while len(self._plans) > _MOST_PLANS:
                self._plans.popitem(last=False)
        return self._plans[key]


def _trials(space: ConfigSpace, history: tuple[Attempt, ...]) -> list[Trial]:
    """Earlier points of this space, with what they measured."""
    found = []
    for one in history:
        point = {name: value for name, value in one.choices.items() if name != "target"}
        if space.holds(point):
            found.append(Trial(point, one.speedup if one.accepted else None))
    return found


def _candidate(request: GenerationRequest, text: str, seconds: float) -> Candidate:
    provenance = Provenance(
        generator=Generator(name=TemplateGenerator.name),
        parents=tuple(one.candidate for one in request.parents if one.candidate),
        sample=request.sample,
        seconds=seconds,
    )
    changes = {"name": f"{request.task.id}/{TemplateGenerator.name}", "provenance": provenance}
    return candidate_of_text(text).model_copy(update=changes)
