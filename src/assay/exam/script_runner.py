"""ScriptRunner: makes the script's calls of one candidate and writes down what came back.

The rule: it goes on after a wrong answer until it has seen enough to say what kind of wrong it is,
and stops at the end of the process, of the script or of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, CallStage, Mix, OutputSeen
from assay.data.observations.observation import CheckMissing, Observation
from assay.exam.answer_origin import AskedCall, NeighbouringCalls, PlantedCopy, explain
from assay.exam.builds.deferred_warmup import DeferredWarmup
from assay.exam.call_reading import BatchId, CallFacts, tensors_of
from assay.exam.candidate_instances import ConstructorRefusal, Instances, twin_of
from assay.exam.exam import ContentKey, Exam
from assay.exam.for_candidate.batch_options import batch_options, planted_copies
from assay.exam.for_candidate.refused_values import admit_refused_values
from assay.exam.leftover_work import extra_processes
from assay.exam.logged_operations import OwnShape, dispatched
from assay.exam.on_device.device_reading import read_asked
from assay.exam.pace import Allowance, Pace
from assay.exam.repeated_draws import RepeatedDraws
from assay.exam.script import BatchKind, Need, ScriptedBatch, ScriptedCall, made_up
from assay.exam.weight_scales import Weights
from assay.sandbox.host.arena import Edge
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import AT_START, BatchOptions, Place, PlannedCall, Spot
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.host.session import Session
from assay.source_analysis.task_facts import small_inputs

ENOUGH_WRONG = 12  # answers, after which no more are asked for
_CLEARLY = 2.0  # times the budget
_SECOND_LOOKS = 3  # at results that were wrong when they were called done
_ASKED_AGAIN = 4  # questions
_LOOKS = 1  # batches, beside the last, after which a look may take its time
_VALUES = (EvidenceKind.WRONG_VALUE, EvidenceKind.NON_FINITE, EvidenceKind.UNFINISHED_WORK)

AfterBatch = Callable[[int, bool], list[Observation]]  # the batch; whether it may take its time


def _no_look(number: int, thorough: bool) -> list[Observation]:
    return []


@dataclass
class ScriptRunner:
    """One candidate's examination."""

    exam: Exam
    session: Session
    pace: Pace
    on_progress: Callable[[float], None]
    guarded: bool = True
    enough_wrong: int = ENOUGH_WRONG  # answers after which no more are asked for
    warmup: DeferredWarmup | None = None  # of a compiler that works at the first call of a shape
    observations: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.instances = Instances(self.exam, self.session, self._note_seeded)
        self._asked: list[AskedCall] = []
        self.wrong = 0  # calls so far that did not return what they had to
        self._shared = 0  # of these, where nothing was wrong but the place
        self._sharing: set[BatchId] = set()  # batches of such calls
        self._close = 0  # and of those that were wrong, those that were nearly right
        self._allowance = Allowance(self.pace, self.exam, self.session.process)
        self._own_calls = 0
        self._second_looks = 0
        self._draws = RepeatedDraws()
        self._options = BatchOptions()
        self._last: ScriptedBatch | None = None
        self._stretched: frozenset[int] = frozenset()  # workloads that need not fit the time

    def run(self, script: list[ScriptedBatch], after_batch: AfterBatch = _no_look) -> int:
        """Every batch in order; the number of calls made. Raises Lost where the process ends."""
        skipped = 0
        self._stretched = frozenset(w for b in script if b.stretched for w in b.workloads)
        rng = self.exam.secret.random("listen")
        looks = {len(script) - 1, *rng.sample(range(len(script)), min(_LOOKS, len(script)))}
        for number, batch in enumerate(script):
            self.on_progress(number / len(script))
            if self._clearly_wrong() >= self.enough_wrong or (
                batch.need is Need.EMPTY and self.wrong
            ):
                break
            if self._is_left_out(batch):
                continue
            if not self._allowance.allows(batch, self._own_calls):
                skipped += 1
                continue
            self._put_parts(BatchId(CallStage.SCRIPT, number), batch)
            self.observations += after_batch(number, number in looks)
        if self.refused() and not self.wrong:
            skipped += self._make_up() + self._ask_refused_values()
        if self.wrong and self.enough_wrong > 1:
            self.ask_again()
        if skipped:
            text = f"{skipped} of {len(script)} batches left out: they did not fit the time"
            missing = CheckMissing(check="mixture of calls", reason=text, essential=False)
            self.observations.append(missing)
        return len(self._asked)

    def _is_left_out(self, batch: ScriptedBatch) -> bool:
        """Whether it cannot be compiled for in time."""
        warmup = self.warmup
        return warmup is not None and warmup.leaves_out(batch, self.wrong, self.observations)

    def _make_up(self) -> int:
        """Calls of what it answers, in the place of those that it refused; those left out."""
        skipped = 0
        rng = self.exam.secret.random("made up")
        main = set(self.exam.main_workloads)
        returned = sum(c.workload in main for c in self._returned())
        for number, batch in enumerate(made_up(self.exam, self.refused(), returned, rng)):
            if not self._allowance.allows(batch, self._own_calls):
                skipped += 1
                continue
            self._put_parts(BatchId(CallStage.MADE_UP, number), batch)
        return skipped

    def _ask_refused_values(self) -> int:
        """Values that were refused with their shapes, at one that it answers; those left out."""
        skipped, rng = 0, self.exam.secret.random("refused values")
        answered = self.answered()
        for workload in admit_refused_values(self.exam, answered, rng) if answered else ():
            call = ScriptedCall(ContentKey(workload), AT_START, None, Mix.PLAIN)
            batch = ScriptedBatch((call,), copy_each=True)
            if self._allowance.allows(batch, self._own_calls):
                self._put_parts(BatchId(CallStage.MADE_UP, len(self._asked)), batch)
            else:
                skipped += 1
        return skipped

    def _put_parts(self, number: BatchId, batch: ScriptedBatch) -> None:
        for part in _parts(batch) if self._apart(batch) else (batch,):
            self._put(number, part)

    def _clearly_wrong(self) -> int:
        """Wrong answers; right ones that share one place say one thing a batch, however many.

        Who is nearly right is asked on: it is told on a workload of less noise.
        """
        close = self._close if self.enough_wrong > 1 else 0
        return self.wrong - self._shared + len(self._sharing) - close

    def _apart(self, batch: ScriptedBatch) -> bool:
        """Whether one call of a batch would find what another left: in buffers, or in its input."""
        reused = len({call.spot for call in batch.calls}) < len(batch.calls)
        reused = reused or batch.kind is BatchKind.RAPID
        return self.exam.remembers or (self.exam.stateful and reused)

    def ask_again(self) -> None:
        """Questions that were answered rightly, once more.

        A bug answers the same question the same way; who watches, counts or waits does not.
        """
        seen = {o.index: o for o in self.observations if isinstance(o, CallSeen)}
        right = [
            one
            for index, one in enumerate(self._asked)
            if index in seen and not any(o.problem for o in seen[index].outputs)
        ]
        for number, one in enumerate(right[:_ASKED_AGAIN]):
            call = replace(one.scripted, mix=Mix.PLAIN, fresh=False)
            batch = ScriptedBatch((call,), copy_each=True)
            self._put(BatchId(CallStage.ASKED_AGAIN, number), batch)

    def answered(self) -> set[int]:
        """Workloads of which a call returned."""
        return {call.workload for call in self._returned()}

    def refused(self) -> set[int]:
        """Workloads but the own one of which every call raised."""
        calls = [o for o in self.observations if isinstance(o, CallSeen) and not o.other_shape]
        raised = {c.workload for c in calls if c.outcome is CallOutcome.RAISED}
        return raised - self.answered() - {0}

    def asked_of(self, workload: int) -> AskedCall:
        """The first call of a workload."""
        return next(a for a in self._asked if a.scripted.content_key.workload == workload)

    @property
    def has_time(self) -> bool:
        """Whether what was asked already may be asked again."""
        return self._allowance.has_time()

    def spared(self) -> int | None:
        """The workload that is being put, where it need not fit time and memory."""
        if self._last is None or not self._allowance.spares(self._last):
            return None
        return self._last.calls[0].content_key.workload

    def begin(self, batch: ScriptedBatch | None) -> None:
        """Note what is being put, for the deadline and for the end it may come to."""
        if batch is not None and batch.workloads & self._stretched:
            batch = replace(batch, need=Need.STRETCHED)
        self._last = batch

    @property
    def last(self) -> ScriptedBatch | None:
        """The batch that is being put, or was last."""
        return self._last

    @property
    def calls_made(self) -> int:
        """So far; also the index of the next call."""
        return len(self._asked)

    def _returned(self) -> list[CallSeen]:
        calls = [o for o in self.observations if isinstance(o, CallSeen)]
        return [c for c in calls if c.outcome is CallOutcome.RETURNED and not c.other_shape]

    def deadline(self) -> Deadline:
        """When the calls that are being put must have returned."""
        return self._allowance.deadline(self._last)

    def _put(self, number: BatchId, batch: ScriptedBatch) -> None:
        self._last = batch
        instance = self.exam.instance_of(batch.calls[0].content_key.workload)
        instance = twin_of(instance, batch.twin)
        version = self.prepare(instance, batch.calls[0].weights)
        refusal = self.instances.refusal(instance)
        if refusal is not None:
            self._note_refusal(number, batch, refusal)
            return
        asked = [
            AskedCall(call, version, self.exam.expectation(call.content_key, version))
            for call in batch.calls
        ]
        planned = [self.plan(one, instance) for one in asked]
        options = batch_options(self.exam, number, batch, self.session.idle_probe is None)
        if batch.kind is BatchKind.RAPID:
            result = self.session.run_rapidly(planned, self.deadline())
        else:
            result = self.session.run(planned, options, self.deadline())
        self._allowance.saw(batch, result.outside_ns / 1e9)
        self._own_calls += sum(1 for c in batch.calls if c.content_key.workload == 0)
        self._options = options
        if result.extra_processes:
            self.observations.append(extra_processes(number.number, result.extra_processes))
        for position, raw in enumerate(result.calls):
            self.record(
                number, asked, position, raw, planted_copies(options, result.calls[0], position)
            )
        if batch.kind is BatchKind.LOGGED:
            expected = [one.expectations for one in asked]
            about = self._own_shape(sums=".sum" in result.statement)
            self.observations.append(dispatched(result.statement, planned, expected, about))

    def _own_shape(self, sums: bool) -> OwnShape:
        reference, own = self.exam.reference, self.exam.plan.workloads[0]
        small = small_inputs(reference.input_shapes(own.axes))
        return OwnShape(small, self._products if sums else 0)

    @cached_property
    def _products(self) -> int:
        """What the reference multiplies for each element of its result, at the own shape."""
        reference, own = self.exam.reference, self.exam.plan.workloads[0]
        found = reference.footprint(own.axes)
        shapes = [shape for shape in found.outputs if shape is not None] if found else []
        elements = max((math.prod(shape) for shape in shapes), default=0)
        total = reference.products(own, self.exam.throw_away_content.inputs) if elements else 0
        return total // max(1, elements)

    def prepare(self, instance: int, wanted: Weights | None) -> Weights:
        """Have an instance ready with the weights asked for; returns the version in force."""
        return self.instances.prepare(instance, wanted, self.deadline())

    def _note_refusal(
        self, number: BatchId, batch: ScriptedBatch, refusal: ConstructorRefusal
    ) -> None:
        for call in batch.calls:
            seen = CallSeen(
                index=len(self._asked),
                workload=call.content_key.workload,
                mix=call.mix,
                outcome=CallOutcome.RAISED,
                message=f"constructor: {refusal.message}"[:500],
                own_check=refusal.own_check,
                stage=number.stage,
                batch=number.number,
                batch_size=len(batch.calls),
            )
            self.observations.append(seen)

    def _note_seeded(self) -> None:
        reason = "the candidate's parameters match the reference's neither by name nor by order"
        self.observations.append(
            CheckMissing(check="weight updates", reason=reason, essential=False)
        )

    def plan(self, asked: AskedCall, instance: int) -> PlannedCall:
        """The call as the session is to make it."""
        call, expected = asked.scripted, asked.expectations
        place = self.place(call.content_key.workload, call.spot)
        content = self.exam.content(call.content_key)
        return replace(PlannedCall.judged(instance, place, content, expected), fresh=call.fresh)

    def place(self, workload: int, spot: Spot) -> Place:
        """Where the tensors of a call lie: at their edge, or where no guard page is near."""
        return Place(workload, spot if self.guarded else replace(spot, edge=Edge.OPEN))

    def record(
        self,
        number: BatchId,
        asked: list[AskedCall],
        position: int,
        raw: RawCall,
        planted_copies: tuple[PlantedCopy, ...] = (),
    ) -> bool:
        """Read one call of a batch and keep what was seen of it; False where it was wrong."""
        one = asked[position]
        call = one.scripted
        workload, other_shape = call.content_key.workload, self._has_other_shape(one)
        facts = CallFacts(
            len(self._asked),
            workload,
            call.mix,
            number,
            len(asked),
            one.version,
            own=workload == 0 and not other_shape,
        )
        seen = read_asked(self.exam, raw, one, facts)
        if other_shape:
            seen = seen.model_copy(update={"other_shape": True})
        right = not any(output.problem for output in seen.outputs)
        if right and one.expectations and tensors_of(raw):
            seen = self._draws.look(seen, one.expectations[0], tensors_of(raw)[0])
            right = not any(output.problem for output in seen.outputs)
            self.wrong += not right
        elif not right:
            self.wrong += 1
            if all(_only_shared(output) for output in seen.outputs if output.problem):
                self._shared += 1
                self._sharing.add(number)
            elif all(_is_close(output) for output in seen.outputs if output.problem):
                self._close += 1
            around = NeighbouringCalls(one, self._asked, asked[position + 1 :], planted_copies)
            seen = explain(self.exam, seen, raw, around)
            seen = self._look_again(seen, one, position)
        self.observations.append(seen)
        self._asked.append(one)
        return right

    def _has_other_shape(self, one: AskedCall) -> bool:
        """Whether a relation gave a call inputs of another shape or stride than its workload's."""
        content_key = one.scripted.content_key
        if not content_key.relation:
            return False
        plain = self.exam.content(ContentKey(content_key.workload, content_key.draw)).tensors
        related = self.exam.content(content_key).tensors
        return [(t.shape, t.stride()) for t in plain] != [(t.shape, t.stride()) for t in related]

    def _look_again(self, seen: CallSeen, one: AskedCall, position: int) -> CallSeen:
        """Did the right answer arrive after the call was called done?"""
        # Of a rapid batch only the last result is still alive.
        rapid = self._last is not None and self._last.kind is BatchKind.RAPID
        if self._second_looks >= _SECOND_LOOKS or rapid:
            return seen
        self._second_looks += 1
        again = self.session.look_again(self._options, self.deadline())
        if position >= len(again):
            return seen
        facts = CallFacts(seen.index, seen.workload, seen.mix)
        later = read_asked(self.exam, again[position], one, facts)
        if not later.outputs or any(output.problem for output in later.outputs):
            return seen
        outputs = [
            o.model_copy(update={"right_later": True}) if o.problem in _VALUES else o
            for o in seen.outputs
        ]
        return seen.model_copy(update={"outputs": tuple(outputs)})


def _parts(batch: ScriptedBatch) -> list[ScriptedBatch]:
    """The calls of a batch one by one: what each leaves behind must not reach the next."""
    kind = BatchKind.PLAIN if batch.kind is BatchKind.RAPID else batch.kind
    return [replace(batch, calls=(call,), kind=kind) for call in batch.calls]


def _only_shared(output: OutputSeen) -> bool:
    right = output.error is not None and output.error.ok
    return output.problem is EvidenceKind.RESULT_OVERWRITTEN and right


def _is_close(output: OutputSeen) -> bool:
    used = None if output.error is None else output.error.budget_used
    return output.problem in _VALUES and used is not None and used < _CLEARLY
