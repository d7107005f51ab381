"""Ablation: does the answer change when no kernel runs?

The rule: asked of kernels in an interpreted language alone, where sampling cannot tell a kernel's
arithmetic from the library's. A new process loads the candidate with the interpreter's launches
turned into no-ops and answers one ordinary question of the own workload; whoever still answers
rightly did not need its kernels.
"""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import AblationSeen
from assay.data.settings import Track
from assay.exam.call_reading import CallFacts, read_call
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import StateMatch
from assay.sandbox.protocol.requests import Survey


def ablate(context: CheckContext) -> list[AblationSeen]:
    """The own workload without kernels."""
    context.report("sampling", None)
    session = Session(context.wall)
    try:
        return [_ablated(context, session)]
    except ProcessLost as lost:
        return [AblationSeen(answered=False, reason=f"without kernels: {lost.text}")]
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


CHECK = Check(
    CheckDeclaration(
        name="ablation",
        text="Is the answer still right when no interpreted kernel runs?",
        kinds=(EvidenceKind.DECOY,),
        cost=Cost.PROCESS,
        most="a second build and one call",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.INTERPRETER,),
    ),
    ablate,
)
