"""Many threads: is the answer right with more threads than the machine has cores?

The rule: asked of candidates alone whose source speaks of threads. A new process is told by the
settings that thread libraries read how many to use, and answers ordinary questions; then one with
still more threads, as where a caller asks for more later, and one where OpenMP starts fewer than it
is asked for, as OMP_DYNAMIC lets it. One that raises there, runs out of memory or is too slow is
not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallOutcome
from assay.data.observations.observation import CheckMissing, CheckSeen, EndCause
from assay.data.settings import Level
from assay.exam.call_reading import CallFacts, read_call
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey
from assay.exam.script import is_large
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED
from assay.exam.workloads.workload_sizes import most_items, small_workloads
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import StateMatch
from assay.sandbox.protocol.surroundings import Surroundings

NAME = "many threads"
_COUNTS = (65, 97)  # more than any fixed array of partial results that people write by hand
_SPEAKS_OF_THREADS = re.compile(
    r"prange|parallel\s*=\s*True|\bomp\b|\bomp_|openmp|parallel_for|std::thread|std::async|"
    r"std::execution|pthread_|ThreadPool|import threading|num_threads|thread_id|"
    r"hardware_concurrency"
)
# Still more threads, for what was laid out for those of the first call; and fewer than were asked.
_CHANGED = (Surroundings(more_threads=True), Surroundings(smaller_teams=True))
_MOST_S = 8.0  # a team of threads for each row is slow where threads wait for a core
_NO_FAULT = (EndCause.TIMED_OUT, EndCause.OUT_OF_MEMORY)

Seen = list[CheckSeen | CheckMissing]


def ask_with_many_threads(context: CheckContext) -> Seen:
    """A few workloads in a process of its own."""
    if not any(_SPEAKS_OF_THREADS.search(file.text) for file in context.candidate.sources):
        return []
    count = context.exam.secret.random("threads").randint(*_COUNTS)
    session = Session(context.wall, threads=count)
    try:
        return _asked(context, session, count)
    except ProcessLost as lost:
        if lost.cause in _NO_FAULT:
            return [_missing(f"with {count} threads: {lost.text}")]
        return [_wrong(f"with {count} threads its process ended: {lost.text}")]
    finally:
        session.close()


def _asked(context: CheckContext, session: Session, count: int) -> Seen:
    builder = Builder(context.exam, context.cache)
    built = builder.build(session, context.candidate, context.settings, _MOST_S)
    if built.late or not built.seen.ok:
        return [_missing(f"with {count} threads it did not build: {built.seen.log[-200:]}")]
    problem = next(_problems(context, session), None)
    if problem is None:
        return [CheckSeen(check=NAME)]
    cores = context.wall.sandbox_limits.threads
    return [_wrong(f"with {count} threads on {cores} cores: {problem}")]


def _problems(context: CheckContext, session: Session) -> Iterator[str]:
    """What is wrong with some answer, in words."""
    exam, deadline = context.exam, Deadline.after(min(_MOST_S, context.settings.timeout_s))
    weights, state = FIRST_WEIGHTS, exam.state(0)
    if session.load_state(0, state, deadline) is StateMatch.NONE and state:
        weights = SEEDED
    refused = context.script_runner.refused()
    small = [w for w in small_workloads(exam, refused) if exam.instance_of(w) == 0]
    asked = small or ([] if is_large(exam) else [0])
    questions = [(workload, Surroundings()) for workload in asked]
    if asked:
        questions += [(most_items(exam, asked), around) for around in _CHANGED]
    for number, (workload, around) in enumerate(questions):
        if number and exam.stateful:  # a call has moved what the next one begins with
            session.load_state(0, state, deadline)
        options = BatchOptions(surroundings=around)
        key = ContentKey(workload)
        expected = exam.expectation(key, weights)
        call = PlannedCall.judged(0, Place(workload, ALONE), exam.content(key), expected)
        (raw,) = session.run([call], options, deadline).calls
        seen = read_call(raw, expected, CallFacts())
        if seen.outcome is CallOutcome.RETURNED:
            yield from (f"{o.name}: {o.detail}" for o in seen.outputs if o.problem is not None)


def _missing(reason: str) -> CheckMissing:
    return CheckMissing(check=NAME, reason=reason, essential=False)


def _wrong(text: str) -> CheckSeen:
    kind, severity = EvidenceKind.WRONG_VALUE, Severity.CONVICTS
    return CheckSeen(check=NAME, findings=(Evidence(kind=kind, severity=severity, text=text),))


CHECK = Check(
    CheckDeclaration(
        name=NAME,
        text="Is the answer right with more threads than the machine has cores?",
        kinds=(EvidenceKind.WRONG_VALUE,),
        cost=Cost.PROCESS,
        most="a second process and up to five calls within 8 s, of candidates that use threads",
        stages=(CheckStage.CALLED,),
        levels=(Level.STANDARD, Level.FULL),
        executions=(Execution.CPU,),
    ),
    ask_with_many_threads,
)
