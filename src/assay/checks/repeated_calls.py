"""Repeated calls: the same questions hundreds of times, so that a race has its chance.

The rule: every answer comes back as any other does, into poisoned memory of its own. One whose bits
an answer before it had was judged with that one; one whose bits are new is judged itself. Two
contents take turns, so that the last answer is never the right one to return. Nothing pins the
candidate to a processor. Of a random operation no two of so many calls may draw the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.contract import Stochastic
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallStage, Mix
from assay.data.observations.observation import CheckSeen, RecurrenceSeen
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import BatchId, tensors_of
from assay.exam.exam import ContentKey, Exam
from assay.exam.exam_amounts import AMOUNTS
from assay.exam.process_growth import ProcessSize, growth_findings, process_size
from assay.exam.repeated_draws import DrawnCalls
from assay.exam.script import ScriptedCall
from assay.exam.script_runner import ScriptRunner
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.exam.workloads.workload_sizes import small_with_rows
from assay.sandbox.host.planned_call import SPOTS, BatchOptions, PlannedCall
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.host.tensor_bytes import same_bytes, span_bytes

NAME = "repeated calls"
_CALLS = 250  # of each workload
_SLOW_S = 0.005  # a call that takes longer is made as often as the time allows
_PATIENCE = 6.0  # times the budget, where a quick call's answers all have to be judged
_BATCH_BYTES = 32 << 20  # results of one batch, which are alive together
_LONGEST_BATCH = 50  # calls
_BATCH_S = 0.2  # of calls in one batch
_ENOUGH_WRONG = 6  # calls, after which nothing is repeated
_LARGE_ELEMENTS = 1 << 22  # of the own content: the script asks only one other like it
_REMEMBERED = 8  # different right answers to one question


@dataclass
class _Known:
    """The answers to one question that were judged right, by their bits."""

    asked: AskedCall
    planned: PlannedCall
    answers: list[RawCall] = field(default_factory=list)

    def holds(self, raw: RawCall) -> bool:
        return any(_same_bits(raw, answer) for answer in self.answers)

    def keep(self, raw: RawCall) -> None:
        self.answers = [*self.answers[-(_REMEMBERED - 1) :], raw]


def repeat_calls(context: CheckContext) -> list[RecurrenceSeen | CheckSeen]:
    """The own workload, and a small one where calls of the own one are long. Raises Lost."""
    script_runner, budget_s = context.script_runner, AMOUNTS[context.settings.level].repeated_s
    if budget_s is None:
        return []
    script_runner.begin(None)  # no batch of the script: the hard limit alone holds
    if isinstance(script_runner.exam.reference.task.contract, Stochastic):
        reason = "the task asks for random answers"
        nothing = RecurrenceSeen(workload=0, calls=0, reason=reason)
        return [nothing, *_drawn_again(script_runner, budget_s)]
    small = small_with_rows(script_runner.exam, script_runner.refused())
    found: list[RecurrenceSeen | CheckSeen] = []
    for workload in [0] if small is None else [0, small]:
        recurrence = Recurrence(script_runner, workload, budget_s)
        seen = recurrence.run()
        found.append(seen)
        if growth := recurrence.growth():
            found.append(CheckSeen(check=NAME, findings=growth))
        if script_runner.wrong or (workload == 0 and not seen.reason):
            break
    return found


def _drawn_again(script_runner: ScriptRunner, budget_s: float) -> list[CheckSeen]:
    """Calls of the own workload as often as time allows: no two may draw the same."""
    exam, session = script_runner.exam, script_runner.session
    instance = exam.instance_of(0)
    version = script_runner.prepare(instance, FIRST_WEIGHTS)
    scripted = ScriptedCall(ContentKey(0), SPOTS[0], version, Mix.REPEATED)
    asked = AskedCall(scripted, version, exam.expectation(ContentKey(0), version))
    planned = script_runner.plan(asked, instance)
    draws = asked.expectations[0].draws
    if script_runner.wrong or draws is None:
        return []
    drawn, started_s = DrawnCalls(draws), time.monotonic()
    length = max(1, min(_LONGEST_BATCH, _BATCH_BYTES // max(1, sum(planned.output_bytes))))
    while len(drawn) < _CALLS and time.monotonic() < started_s + _PATIENCE * budget_s:
        options = BatchOptions(copy_each=False, check_inputs=False)
        result = session.run([planned] * length, options, script_runner.deadline())
        answers = [tensor for raw in result.calls for tensor in tensors_of(raw)[:1]]
        whole = [t for t in answers if t is not None and t.numel() == draws.operand.numel()]
        if len(whole) < length:
            break
        for tensor in whole:
            drawn.add(tensor)
    if not (text := drawn.repetition()):
        return []
    kind, severity = EvidenceKind.WRONG_VALUE, Severity.CONVICTS
    finding = Evidence(kind=kind, severity=severity, text=f"the same content, repeated: {text}")
    return [CheckSeen(check=NAME, findings=(finding,))]


class Recurrence:
    """One workload, asked again and again."""

    def __init__(
        self,
        script_runner: ScriptRunner,
        workload: int,
        budget_s: float,
        calls: int = _CALLS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._script_runner = script_runner
        self._most = calls
        self._clock = clock  # what the budget is measured by
        self._workload = workload
        self._budget_s = budget_s
        exam = script_runner.exam
        self._alone = exam.stateful or bool(exam.reference.updates)
        self._options = BatchOptions(copy_each=False, check_inputs=False)
        self._known: list[_Known] = []
        self._calls = self._different = 0
        self._was_wrong = False
        self._sizes: list[ProcessSize] = []

    def growth(self) -> tuple[Evidence, ...]:
        """What grew with the calls."""
        return growth_findings(self._sizes, sum(self._known[0].planned.output_bytes))

    def run(self) -> RecurrenceSeen:
        """As often as it takes, or as the time allows."""
        self._learn()
        started, call_s = self._clock(), self._one_call_s()
        while self._calls < self._most and self._script_runner.wrong < _ENOUGH_WRONG:
            spent = self._clock() - started
            patience = 1.0 if call_s > _SLOW_S else _PATIENCE
            if spent > patience * self._budget_s:
                break
            self._batch(self._length(call_s))
        short = self._calls < self._most
        return RecurrenceSeen(
            workload=self._workload,
            calls=self._calls,
            different=self._different,
            reason=f"{1e3 * call_s:.0f} ms a call: there was no time for more" if short else "",
        )

    def _learn(self) -> None:
        """The questions, with the weights that are in force from now on."""
        script_runner, exam = self._script_runner, self._script_runner.exam
        instance = exam.instance_of(self._workload)
        version = script_runner.prepare(instance, FIRST_WEIGHTS)
        for content_key, spot in zip(_content_keys(exam, self._workload), SPOTS, strict=False):
            scripted = ScriptedCall(content_key, spot, version, Mix.REPEATED)
            asked = AskedCall(scripted, version, exam.expectation(content_key, version))
            self._known.append(_Known(asked, script_runner.plan(asked, instance)))

    def _one_call_s(self) -> float:
        before_s = self._script_runner.session.process.waited_s
        self._batch(1)
        return max(1e-6, self._script_runner.session.process.waited_s - before_s)

    def _length(self, call_s: float) -> int:
        if self._alone:
            return 1
        size = max(1, sum(self._known[0].planned.output_bytes))
        fitting = min(_LONGEST_BATCH, _BATCH_BYTES // size, int(_BATCH_S / call_s))
        return max(1, min(fitting, self._most - self._calls))

    def _batch(self, length: int) -> None:
        script_runner, session = self._script_runner, self._script_runner.session
        instance = script_runner.exam.instance_of(self._workload)
        script_runner.prepare(instance, FIRST_WEIGHTS)  # what calls may change
        turns = self._turns()
        asked = [next(turns) for _ in range(length)]
        planned = [known.planned for known in asked]
        result = session.run(planned, self._options, script_runner.deadline())
        batch = [known.asked for known in asked]
        for position, (known, raw) in enumerate(zip(asked, result.calls, strict=True)):
            self._calls += 1
            if known.holds(raw) and not self._was_wrong:
                continue
            self._different += bool(known.answers) and not known.holds(raw)
            number = BatchId(CallStage.REPEATED, self._calls)
            right = script_runner.record(number, batch, position, raw)
            self._was_wrong = not right  # the next right one is written down too
            if right:
                known.keep(raw)
        self._sizes.append(process_size(session.process.processes.pids(), self._calls))

    def _turns(self) -> Iterator[_Known]:
        number = self._calls
        while True:
            yield self._known[number % len(self._known)]
            number += 1


def _content_keys(exam: Exam, workload: int) -> list[ContentKey]:
    """Two contents that the script asks as well, so that their truth is known."""
    if workload == 0 and exam.content(ContentKey(0)).elements > _LARGE_ELEMENTS:
        return [ContentKey(0), ContentKey(0, variant=1)]
    return [ContentKey(workload), *ContentKey(workload).following(1)]


def _same_bits(one: RawCall, other: RawCall) -> bool:
    if one.record is None or other.record is None or one.record.code != other.record.code:
        return False
    pairs = zip(one.outputs, other.outputs, strict=True)
    return all(
        a.header == b.header
        and a.tensor is not None
        and b.tensor is not None
        and same_bytes(span_bytes(a.tensor), span_bytes(b.tensor))
        for a, b in pairs
    )


CHECK = Check(
    CheckDeclaration(
        name=NAME,
        text="Is every answer to the same question right, with the same bits? Races show.",
        kinds=(
            EvidenceKind.WRONG_VALUE,
            EvidenceKind.PHASE,
            EvidenceKind.NOT_REPEATABLE,
            EvidenceKind.LEFTOVER,
        ),
        cost=Cost.CALLS,
        most=f"{_CALLS} calls of one or two workloads, where time allows: 1 s each, 8 s at full",
        stages=(CheckStage.CALLED,),
        levels=tuple(level for level, asked in AMOUNTS.items() if asked.repeated_s),
        executions=(Execution.CPU, Execution.DEVICE),
    ),
    repeat_calls,
    phase="repeated calls",
)
