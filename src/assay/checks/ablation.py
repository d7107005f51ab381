"""Ablation: does the answer change when no kernel runs?

The rule: asked of kernels in an interpreted language alone, where sampling cannot tell a kernel's
arithmetic from the library's. A new process loads the candidate with the interpreter's launches
turned into no-ops and answers one ordinary question of the own workload; whoever still answers
rightly did not need its kernels. Then the largest workload it answers is called and sampled: what
still computes is a library's.
"""

from __future__ import annotations

import time

from assay.checks.check_contract import Check, CheckContext
from assay.checks.code_samples.provenance_record import code_sampler, provenance_seen
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import AblationSeen, Observation, ProvenanceSeen
from assay.data.settings import Track
from assay.exam.call_reading import CallFacts, read_call
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED
from assay.languages.language_registry import language
from assay.sampling.sampler import RATE_HZ
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall, output_bytes
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import StateMatch
from assay.sandbox.protocol.requests import Survey

_SAMPLED_S, _PATIENT_S = 0.4, 3.0  # of calls in which no kernel runs; where few samples come
_LEAST_SAMPLES = 60  # of anybody's code: on a busy machine they take longer
_ENOUGH_SAMPLES = 60  # that belong to a library
_BATCH_S, _MOST_CALLS = 0.1, 512  # of one sampled batch
_LIVE_BYTES = 64e6  # results of one batch that may be alive at once
_WALL_S = 5.0  # by the host's clock, whatever was seen


def ablate(context: CheckContext) -> list[Observation]:
    """The own workload without kernels, and whose code still computes."""
    session = Session(context.wall)
    found: list[Observation] = []
    try:
        found.append(ablated := _ablated(context, session))
        return [*found, *(_silenced(context, session) if ablated.answered else ())]
    except ProcessLost as lost:
        reason = f"without kernels: {lost.text}"
        return found or [AblationSeen(answered=False, reason=reason)]
    finally:
        session.close()


def _ablated(context: CheckContext, session: Session) -> AblationSeen:
    builder = Builder(context.exam, None, ablated=True)
    built = builder.build(session, context.candidate, context.settings)
    if not built.seen.ok:
        return AblationSeen(answered=False, reason=f"without kernels: {built.seen.log[-200:]}")
    return _ask(context.exam, session, Deadline.after(context.settings.timeout_s))


def _ask(exam: Exam, session: Session, deadline: Deadline) -> AblationSeen:
    weights = FIRST_WEIGHTS
    state = exam.state(0, weights)
    if session.load_state(0, state, deadline) is StateMatch.NONE and state:
        weights = SEEDED
    content_key = ContentKey(0)
    expectations = exam.expectation(content_key, weights)
    call = PlannedCall.judged(0, Place(0, ALONE), exam.content(content_key), expectations)
    result = session.run([call], BatchOptions(), deadline)
    seen = read_call(result.calls[0], expectations, CallFacts())
    if not seen.outputs:
        return AblationSeen(answered=False, reason=f"without kernels: {seen.message[:200]}")
    right = not any(output.problem for output in seen.outputs)
    launches = session.ask(Survey(), deadline).count
    return AblationSeen(answered=True, right=right, launches=launches)


def _silenced(context: CheckContext, session: Session) -> list[ProvenanceSeen]:
    """Samples of calls in which no kernel runs: where they are large, a library shows best."""
    exam, deadline = context.exam, Deadline.after(context.settings.timeout_s)
    answered = [w for w in exam.main_workloads if w == 0 or w in context.script_runner.answered()]
    largest = ContentKey(max(answered, key=lambda w: exam.content(ContentKey(w)).elements))
    call = PlannedCall(0, Place(largest.workload, ALONE), exam.content(largest), ())
    fitting = int(_LIVE_BYTES / max(1, sum(output_bytes(exam.expectation(largest)))))
    options = BatchOptions(copy_each=False, poison=False, check_inputs=False)
    sampler, calls, spent_s = code_sampler(session, RATE_HZ), 0, 0.0
    tools = language(context.candidate.language).tools
    sampler.tools = tuple(f"lib{name}" for name in tools)  # an interpreter without a kernel
    ends = time.monotonic() + _WALL_S
    sampler.start()
    try:
        while sampler.attributed < _ENOUGH_SAMPLES and time.monotonic() < ends:
            if spent_s > (_SAMPLED_S if sampler.total >= _LEAST_SAMPLES else _PATIENT_S):
                break
            wanted = int(_BATCH_S * calls / spent_s) if calls else 1
            length = max(1, min(fitting, _MOST_CALLS, wanted))
            spent_s += session.run([call] * length, options, deadline).outside_ns / 1e9
            calls += length
    finally:
        samples = sampler.stop()
    seen = provenance_seen(samples, 1e6 * spent_s / max(1, calls), interpreted=False)
    return [seen.model_copy(update={"silenced": True})]


CHECK = Check(
    CheckDeclaration(
        name="ablation",
        text="Is the answer still right when no interpreted kernel runs?",
        kinds=(EvidenceKind.DECOY, EvidenceKind.DELEGATION),
        cost=Cost.PROCESS,
        most=f"a second build, one call, and sampled calls for {_SAMPLED_S:g} s",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.INTERPRETER,),
    ),
    ablate,
)
