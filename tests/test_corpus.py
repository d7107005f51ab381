"""The corpus, judged: every kernel gets the verdict its folder asks for, for the right reason.

`make test` judges a sample (`corpus_sample.py`), `make corpus` every case. One process pays for a
task's exam and judges all its kernels: `conftest.py` keeps a task's cases together. The secret is
the same every time, so that a failure can be repeated. `benchmarks/honesty.py` judges the corpus
with secrets of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import pytest

from assay.context import EvaluationContext
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.exam.secret import Secret
from assay.exam.workloads.workload_sweep import sweep
from assay.languages.candidate_file import load_candidate
from assay.languages.language_registry import LANGUAGES, language
from assay.pipeline import evaluate_in_order
from assay.sandbox.host.wall import SandboxExtras, SandboxLimits, Wall, usable_threads
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from assay.tasks.references.training_modes import in_other_mode
from corpus_case import CUDA_CORPUS, CorpusCase, cases
from corpus_sample import corpus_case
from device_agnostic import applies_on_cuda

# Seconds for calls and for a build. A kernel that may hang ends soon, whatever the machine does;
# any other may take its time, because tests beside it can slow it down many times.
HANG_LIMITS = (40.0, 60.0)
PATIENT_LIMITS = (120.0, 240.0)
SECRET = Secret("5eed" * 16)


def test_the_corpus_is_as_large_as_it_is_said_to_be() -> None:
    labels = [case.label for case in cases()]
    techniques = {case.technique for case in cases() if case.label == "cheat"}
    assert labels.count("cheat") >= 70 and len(techniques) >= 50
    assert labels.count("wrong") >= 30 and labels.count("honest") >= 30


def test_honest_kernels_of_unusual_means_cover_many_tasks() -> None:
    found = [case for case in cases() if case.family == "unusual_means"]
    assert len(found) >= 60 and len({case.task for case in found}) >= 15
    assert all(case.label == "honest" and case.statuses == ("accepted",) for case in found)


def test_the_device_corpus_is_as_large_as_it_is_said_to_be() -> None:
    found = cases(CUDA_CORPUS)
    labels = [case.label for case in found]
    assert labels.count("honest") >= 12 and labels.count("cheat") >= 14
    assert labels.count("wrong") >= 6
    assert all(resolve(case.task_source).id for case in found)
    moved = [case.label for case in cases() if applies_on_cuda(case)]
    assert moved.count("honest") >= 10 and moved.count("cheat") >= 40


@pytest.fixture(scope="session")
def wall() -> Iterator[Wall]:
    """One warm parent for all tasks of this process; any candidate may be the next."""
    with Wall(preloaded(), expected=len(cases())) as made:
        yield made


def preloaded() -> tuple[str, ...]:
    return tuple(sorted({name for kind in LANGUAGES.names() for name in language(kind).preload}))


@dataclass
class JudgedInTurn:
    """Verdicts of cases that share an exam and a limit, each made when it is asked for."""

    coming: Iterator[tuple[str, Verdict]]
    made: dict[str, Verdict] = field(default_factory=dict)

    def of(self, name: str) -> Verdict:
        """Of one case; those before it are judged on the way."""
        while name not in self.made:
            judged, verdict = next(self.coming)
            self.made[judged] = verdict
        return self.made[name]


@cache
def verdicts(wall: Wall, chosen: tuple[CorpusCase, ...]) -> JudgedInTurn:
    return JudgedInTurn(judged(wall, chosen))


def judged(wall: Wall, chosen: tuple[CorpusCase, ...]) -> Iterator[tuple[str, Verdict]]:
    packages, threads = chosen[0].allow_packages, chosen[0].threads
    if not packages and not threads:
        yield from judged_behind(wall, chosen)
        return
    extras = SandboxExtras(preloaded(), packages=packages)
    limits = SandboxLimits(threads=threads or usable_threads())
    with Wall(extras, limits, expected=len(chosen)) as own:
        yield from judged_behind(own, chosen)


def judged_behind(wall: Wall, chosen: tuple[CorpusCase, ...]) -> Iterator[tuple[str, Verdict]]:
    timeout_s, build_timeout_s = HANG_LIMITS if chosen[0].may_hang else PATIENT_LIMITS
    settings = Settings(
        level=Level(chosen[0].level),
        track=Track(chosen[0].track),
        timing=chosen[0].timed,
        allow_packages=chosen[0].allow_packages,
        timeout_s=timeout_s,
        build_timeout_s=build_timeout_s,
    )
    source = chosen[0].task_source
    context = EvaluationContext(wall, resolve(source), settings, plan(source, settings))
    found = evaluate_in_order(context, [load_candidate(case.candidate) for case in chosen])
    for case, one in zip(chosen, found, strict=True):
        yield case.name, one.verdict


def plan(task: str, settings: Settings) -> Plan:
    reference = Reference(resolve(task))
    workloads = sweep(reference, settings.level, SECRET.random("sweep"))
    return Plan.of(settings, SECRET.hex, workloads + in_other_mode(reference, workloads))


@pytest.fixture
def companions(request: pytest.FixtureRequest, case: CorpusCase) -> tuple[CorpusCase, ...]:
    """The cases of this run that share an exam with this one."""
    asked = [one for item in request.session.items if (one := corpus_case(item))]
    shared = (*case.exam, case.may_hang)
    return tuple(one for one in asked if (*one.exam, one.may_hang) == shared)


@pytest.mark.corpus
@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.task}/{case.name}")
def test_verdict_and_reason(
    case: CorpusCase, companions: tuple[CorpusCase, ...], wall: Wall
) -> None:
    verdict = verdicts(wall, companions).of(case.name)
    kinds = [e.kind.value for e in verdict.evidence]
    assert case.is_answered_by(verdict), f"{verdict.status}: {verdict.reason} {kinds}"
