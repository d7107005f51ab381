"""Ablation: does the answer change when no kernel runs?

The rule: asked of kernels in an interpreted language alone, where sampling cannot tell a kernel's
arithmetic from the library's. A new process loads the candidate with the interpreter's launches
turned into no-ops and answers one ordinary question of the own workload; whoever still answers
rightly did not need its kernels.
"""

from __future__ import annotations

from assay.data.candidate import Candidate
from assay.data.observation import AblationSeen
from assay.data.settings import Settings
from assay.worker.answers import StateMatch
from assay.worker.host.build import Builder
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Exam, Question
from assay.worker.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from assay.worker.host.process import Lost
from assay.worker.host.reading import CallFacts, read_call
from assay.worker.host.session import Session
from assay.worker.host.tones import FIRST_WEIGHTS, SEEDED
from assay.worker.host.wall import Wall
from assay.worker.protocol import Survey


def ablate(wall: Wall, exam: Exam, candidate: Candidate, settings: Settings) -> AblationSeen:
    """The own workload without kernels."""
    session = Session(wall)
    try:
        built = Builder(exam, None, ablated=True).build(session, candidate, settings)
        if not built.seen.ok:
            return AblationSeen(answered=False, reason=f"without kernels: {built.seen.log[-200:]}")
        return _ask(exam, session, Deadline.after(settings.timeout_s))
    except Lost as lost:
        return AblationSeen(answered=False, reason=f"without kernels: {lost.text}")
    finally:
        session.close()


def _ask(exam: Exam, session: Session, deadline: Deadline) -> AblationSeen:
    weights = FIRST_WEIGHTS
    state = exam.state(0, weights)
    if session.load_state(0, state, deadline) is StateMatch.NONE and state:
        weights = SEEDED
    question = Question(0)
    expectations = exam.expectation(question, weights)
    call = PlannedCall.judged(0, Place(0, ALONE), exam.content(question), expectations)
    result = session.run([call], BatchOptions(), deadline)
    seen = read_call(result.calls[0], expectations, CallFacts())
    if not seen.outputs:
        return AblationSeen(answered=False, reason=f"without kernels: {seen.message[:200]}")
    right = not any(output.problem for output in seen.outputs)
    launches = session.ask(Survey(), deadline).count
    return AblationSeen(answered=True, right=right, launches=launches)
