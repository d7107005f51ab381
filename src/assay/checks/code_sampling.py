"""Code sampling: whose code runs while the candidate computes, sampled from outside.

The rule: it looks twice. Seldom, all through the examination, where no call can be told from
another; and often, afterwards, at ordinary calls without slots, so that the runner copies nothing
and all that computes is the candidate's doing. Whoever works differently when it believes itself
watched is caught by the first look, whoever is too fast for it by the second. One or two more
short looks are at calls of other shapes of nearly the own size, with odd axes, drawn in secret:
whoever computes the own shape and leaves others to a library is caught there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from assay.checks.check_contract import Check, CheckContext
from assay.checks.code_samples.elsewhere_workloads import elsewhere_content, elsewhere_workloads
from assay.checks.code_samples.provenance_record import code_sampler, provenance_seen
from assay.checks.code_samples.sampled_calls import (
    BUSY_S,
    PATIENT_S,
    PLAIN,
    LookLength,
    sampled,
)
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import ProvenanceSeen
from assay.data.settings import Level, Track
from assay.data.workload import Workload
from assay.exam.exam import ContentKey, Exam
from assay.sampling.processor_use import processors_ns
from assay.sandbox.host.planned_call import ALONE, Place, PlannedCall, Spot
from assay.sandbox.host.session import Session

_SELDOM_HZ = 250.0  # samples a second, all through the examination
_ELSEWHERE_S = 0.3  # of calls with a processor, at a shape other than the own one
_ELSEWHERE_LOOK_S = 1.5  # by the host's clock, and twice as much more where too little was seen
_ELSEWHERE_SPOT = Spot("sampled elsewhere")
_SMALL = 1 << 18  # elements
_LONG_S = 2e-3  # such a call consists of computing, however few its elements are


def overlook(session: Session, interpreted: bool, examine: Callable[[], int]) -> ProvenanceSeen:
    """Look now and then while `examine`, which returns the number of calls it made, goes on."""
    sampler = code_sampler(session, _SELDOM_HZ)
    before_s, calls = session.process.waited_s, 0
    ran_ns = -processors_ns(session.process.processes.pids())
    sampler.start()
    try:
        calls = examine()
    finally:
        samples = sampler.stop()
    spent_s = session.process.waited_s - before_s
    ran_ns += processors_ns(session.process.processes.pids())
    spent_us, ran_us = (each / max(1, calls) for each in (1e6 * spent_s, 1e-3 * ran_ns))
    call_us = ran_us if samples.clocked else spent_us
    seen = provenance_seen(samples, call_us, interpreted)
    return seen.model_copy(update={"passing": True})


def sample_code(context: CheckContext) -> list[ProvenanceSeen]:
    """Call one of the workloads it answered until enough is seen or the time is up. Raises Lost.

    The own shape too, unless that is sampled in timed rounds.
    """
    call_s = _call_s(context, 0)
    if context.execution is Execution.INTERPRETER:
        return [sampled(context, 0, call_s)]
    answered = context.script_runner.answered()
    workload = 0 if call_s >= _LONG_S else _informative_workload(context.exam, answered)
    found = [sampled(context, workload, call_s if not workload else _call_s(context, workload))]
    settings = context.settings
    if workload and not settings.timing and settings.level is not Level.SMOKE:
        found.append(sampled(context, 0, call_s))
    return found + _sampled_elsewhere(context)


def _sampled_elsewhere(context: CheckContext) -> list[ProvenanceSeen]:
    """Other shapes of nearly the own size, for a moment each; none below standard."""
    if context.settings.level not in (Level.STANDARD, Level.FULL):
        return []
    exam, rng = context.exam, context.exam.secret.random("elsewhere", context.candidate.name)
    answered = context.script_runner.answered()
    looks = [_look_elsewhere(context, w) for w in elsewhere_workloads(exam, answered, rng)]
    return [seen for seen in looks if seen is not None]


def _look_elsewhere(context: CheckContext, workload: Workload) -> ProvenanceSeen | None:
    content = elsewhere_content(context.exam, workload)
    if content is None:
        return None
    call = PlannedCall(0, Place(0, _ELSEWHERE_SPOT), content, ())
    call_s = context.session.run([call], PLAIN, context.deadline).outside_ns / 1e9
    if call_s > _ELSEWHERE_S:
        return None
    wall_s, more_s = _ELSEWHERE_LOOK_S, 2 * _ELSEWHERE_LOOK_S
    length = LookLength(_ELSEWHERE_S, _ELSEWHERE_S, wall_s, more_s, content)
    seen = sampled(context, 0, call_s, length)
    return seen.model_copy(update={"elsewhere": True})


def _call_s(context: CheckContext, workload: int) -> float:
    call = PlannedCall(0, Place(workload, ALONE), context.exam.content(ContentKey(workload)), ())
    return context.session.run([call], PLAIN, context.deadline).outside_ns / 1e9


def _informative_workload(exam: Exam, answered: Collection[int]) -> int:
    """The workload whose calls consist of computing: the own one, unless it is small.

    Of a small shape nearly all time is the interpreter's, which speaks for nobody. The smallest of
    the large ones does, else the largest.
    """
    asked = [w for w in exam.main_workloads if w == 0 or w in answered]
    sizes = {w: exam.content(ContentKey(w)).elements for w in asked}
    if sizes[0] >= _SMALL:
        return 0
    large = [w for w in asked if sizes[w] >= _SMALL]
    return min(large, key=lambda w: sizes[w]) if large else max(asked, key=lambda w: sizes[w])


CHECK = Check(
    CheckDeclaration(
        name="code sampling",
        text="Is the code that computes the candidate's own, or a library's?",
        kinds=(EvidenceKind.DELEGATION,),
        cost=Cost.CALLS,
        most=f"calls for {BUSY_S:g} s, for {PATIENT_S:g} s where few samples come; "
        f"at one or two other shapes {_ELSEWHERE_S:g} s each",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU, Execution.INTERPRETER),
    ),
    sample_code,
)
