"""Examiner: puts the script's calls to one candidate and writes down what came back.

The rule: it goes on after a wrong answer until it has seen enough to say what kind of wrong it is,
and stops at the end of the process, of the script or of the time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observation import (
    CallOutcome,
    CallSeen,
    CheckMissing,
    DispatchSeen,
    LeftoverSeen,
    Mix,
    Observation,
    OpCount,
    OutputSeen,
)
from assay.measure.matching import is_telling, same_answer
from assay.worker.host.exam import SEEDED, Exam
from assay.worker.host.process import IDLE_WINDOW_S, Deadline
from assay.worker.host.reading import (
    CallFacts,
    Expectations,
    buffer_names,
    output_bytes,
    read_call,
    tensors_of,
)
from assay.worker.host.script import ScriptedBatch, ScriptedCall
from assay.worker.host.session import BatchOptions, Place, PlannedCall, RawCall, Session
from assay.worker.protocol import Construct, StateMatch

_ENOUGH_WRONG = 12
_REMEMBERED = 12  # earlier calls whose truth a wrong answer is compared with
_SECOND_LOOKS = 3
_ASKED_AGAIN = 4
_LISTENS = 1
_IDLE_SHARE = 0.4
_MOST_THREADS = 64 + 8 * (os.cpu_count() or 1)  # a few pools of one thread a processor
_VALUES = (EvidenceKind.WRONG_VALUE, EvidenceKind.NON_FINITE, EvidenceKind.UNFINISHED_WORK)
_MUST_CALL = 2  # calls of the own shape that are made however slow the candidate is


@dataclass(frozen=True)
class Pace:
    """How long things may take."""

    timeout_s: float  # of the candidate's own time, hard
    soft_budget_s: float  # what the calls should cost in all
    own_call_s: float  # measured from outside on the first call
    own_elements: int


@dataclass
class _Asked:
    """One call that was made, with what it had to return."""

    scripted: ScriptedCall
    version: int
    expectations: Expectations


@dataclass
class Examiner:
    """One candidate's examination."""

    exam: Exam
    session: Session
    pace: Pace
    on_progress: Callable[[float], None]
    guarded: bool = True
    interpreted: bool = False  # kernels run in an interpreter: calls are few
    observations: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._constructed: set[int] = set()
        self._version: dict[int, int] = {}
        self._seeded: set[int] = set()
        self._refused: dict[int, str] = {}  # configurations the constructor raised on
        self._asked: list[_Asked] = []
        self.wrong = 0  # calls so far that did not return what they had to
        self._start_s = self.session.process.waited_s
        self._own_calls = 0
        self._second_looks = 0
        self._options = BatchOptions()
        self.last: ScriptedBatch | None = None

    def run(self, script: list[ScriptedBatch]) -> int:
        """Every batch in order; the number of calls made. Raises Lost where the process ends."""
        skipped = 0
        rng = self.exam.secret.random("listen")
        listens = {len(script) - 1, *rng.sample(range(len(script)), min(_LISTENS, len(script)))}
        for number, batch in enumerate(script):
            self.on_progress(number / len(script))
            if self.wrong >= _ENOUGH_WRONG or (batch.edge and self.wrong):
                break
            if not self._affordable(batch):
                skipped += 1
                continue
            for part in _parts(batch) if self.exam.stateful else (batch,):
                self.last = part
                self._put(number, part)
            if number in listens:
                self._listen(number)
        if self.wrong:
            self.ask_again(len(script))
        if skipped:
            text = f"{skipped} of {len(script)} batches left out: the candidate is too slow for all"
            missing = CheckMissing(check="mixture of calls", reason=text, essential=False)
            self.observations.append(missing)
        return len(self._asked)

    def ask_again(self, number: int) -> None:
        """Questions that were answered rightly, once more.

        A bug answers the same question the same way; who watches, counts or waits does not.
        """
        seen = {o.index: o for o in self.observations if isinstance(o, CallSeen)}
        right = [
            one
            for index, one in enumerate(self._asked)
            if index in seen and not any(o.problem for o in seen[index].outputs)
        ]
        for offset, one in enumerate(right[:_ASKED_AGAIN]):
            call = replace(one.scripted, mix=Mix.PLAIN, fresh=False)
            self.last = ScriptedBatch((call,), copy_each=True)
            self._put(number + offset, self.last)

    def version(self, instance: int) -> int:
        """The version of its weights that an instance holds now."""
        return SEEDED if instance in self._seeded else self._version.get(instance, SEEDED)

    def adopt(self, instance: int) -> None:
        """Note an instance that was constructed and needs its first weights."""
        self._constructed.add(instance)

    def _affordable(self, batch: ScriptedBatch) -> bool:
        if batch.log_operations:  # without it nothing corroborates whose work it is
            return True
        if self.interpreted and batch.stretched:
            return False
        own = sum(1 for call in batch.calls if call.question.workload == 0)
        if own and self._own_calls < _MUST_CALL:
            return True
        estimate = sum(self._estimate_s(call) for call in batch.calls)
        left = self.pace.soft_budget_s - self._spent_s()
        return estimate < left * (0.25 if batch.optional else 0.5)

    def _spent_s(self) -> float:
        return self.session.process.waited_s - self._start_s

    def _deadline(self) -> Deadline:
        return Deadline.after(max(0.0, self.pace.timeout_s - self._spent_s()))

    def _estimate_s(self, call: ScriptedCall) -> float:
        share = self.exam.content(call.question).elements / max(1, self.pace.own_elements)
        return self.pace.own_call_s * max(share, 0.001)

    def _put(self, number: int, batch: ScriptedBatch) -> None:
        instance = self.exam.instance_of(batch.calls[0].question.workload)
        version = self._prepare(instance, batch.calls[0].weights)
        if instance in self._refused:
            self._note_refusal(number, batch, self._refused[instance])
            return
        asked = [
            _Asked(call, version, self.exam.expectation(call.question, version))
            for call in batch.calls
        ]
        planned = [self._plan(one, instance) for one in asked]
        options = self._options_of(number, batch)
        if batch.rapid:
            result = self.session.run_rapidly(planned, self._deadline())
        else:
            result = self.session.run(planned, options, self._deadline())
        self._own_calls += sum(1 for c in batch.calls if c.question.workload == 0)
        self._options = options
        if result.strangers:
            self._leftover(number, result.strangers)
        self._record(number, asked, list(result.calls))
        if batch.log_operations:
            self.observations.append(_dispatched(result.statement, planned, asked))

    def _options_of(self, number: int, batch: ScriptedBatch) -> BatchOptions:
        bait = self.exam.secret.seed("bait", number) if batch.baited else None
        return BatchOptions(
            copy_each=batch.copy_each,
            poison=not batch.baited,
            log_operations=batch.log_operations,
            bait=bait,
        )

    def _prepare(self, instance: int, wanted: int | None) -> int:
        """Construct where needed, load the weights asked for; returns the version in force."""
        if instance not in self._constructed:
            spec = self.exam.instances[instance]
            request = Construct(instance, spec.args, spec.kwargs, spec.seed, spec.training)
            reply = self.session.ask(request, self._deadline())
            self._constructed.add(instance)
            if reply.code != 0:
                text = self.session.statement().strip()
                self._refused[instance] = text.rpartition("\n")[2]
        version = self._version.get(instance, 0) if wanted is None else wanted
        if instance in self._refused:
            return version
        if instance in self._seeded:
            return SEEDED
        if self._version.get(instance) != version or self.exam.stateful:
            state = self.exam.state(instance, version)
            match = self.session.load_state(instance, state, self._deadline())
            if match is StateMatch.NONE and state:
                return self._keep_seeded(instance)
            self._version[instance] = version
        return version

    def _note_refusal(self, number: int, batch: ScriptedBatch, message: str) -> None:
        for call in batch.calls:
            seen = CallSeen(
                index=len(self._asked),
                workload=call.question.workload,
                mix=call.mix,
                outcome=CallOutcome.RAISED,
                message=f"constructor: {message}"[:500],
                batch=number,
                batch_size=len(batch.calls),
            )
            self.observations.append(seen)

    def _keep_seeded(self, instance: int) -> int:
        self._seeded.add(instance)
        reason = "the candidate's parameters match the reference's neither by name nor by order"
        self.observations.append(
            CheckMissing(check="weight updates", reason=reason, essential=False)
        )
        return SEEDED

    def _plan(self, asked: _Asked, instance: int) -> PlannedCall:
        question = asked.scripted.question
        return PlannedCall(
            instance=instance,
            place=Place(question.workload, asked.scripted.letter, open=not self.guarded),
            content=self.exam.content(question),
            output_bytes=output_bytes(asked.expectations),
            buffers=buffer_names(asked.expectations),
            fresh=asked.scripted.fresh,
        )

    def _listen(self, number: int) -> None:
        """Nobody asks anything: does something still compute?"""
        busy_s = self.session.process.busy_while_idle_s()
        if busy_s > _IDLE_SHARE * IDLE_WINDOW_S:
            text = f"{1e3 * busy_s:.0f} ms of computing in {1e3 * IDLE_WINDOW_S:.0f} ms of silence"
            when = f"after batch {number}"
            seen = LeftoverSeen(when=when, processes=0, running_threads=1, text=text)
            self.observations.append(seen)
        threads = self.session.process.threads()
        if threads > _MOST_THREADS:
            text = f"{threads} threads alive while nobody asks anything"
            seen = LeftoverSeen(when=f"after batch {number}", processes=0, text=text)
            self.observations.append(seen)

    def _leftover(self, number: int, strangers: int) -> None:
        text = f"{strangers} other processes alive after the call returned"
        self.observations.append(
            LeftoverSeen(when=f"batch {number}", processes=strangers, running_threads=0, text=text)
        )

    def _record(self, number: int, asked: list[_Asked], found: list[RawCall]) -> None:
        for position, (one, raw) in enumerate(zip(asked, found, strict=True)):
            call = one.scripted
            facts = CallFacts(
                len(self._asked), call.question.workload, call.mix, number, len(asked), one.version
            )
            seen = read_call(raw, one.expectations, facts)
            if any(output.problem for output in seen.outputs):
                self.wrong += 1
                seen = self._explain(seen, raw, one, asked[position + 1 :])
                seen = self._look_again(seen, one, position)
            self.observations.append(seen)
            self._asked.append(one)

    def _look_again(self, seen: CallSeen, one: _Asked, position: int) -> CallSeen:
        """Did the right answer arrive after the call was called done?"""
        rapid = self.last is not None and self.last.rapid  # only its last result is still alive
        if self._second_looks >= _SECOND_LOOKS or rapid:
            return seen
        self._second_looks += 1
        again = self.session.look_again(self._options, self._deadline())
        if position >= len(again):
            return seen
        facts = CallFacts(seen.index, seen.workload, seen.mix, seen.batch, seen.batch_size)
        later = read_call(again[position], one.expectations, facts)
        if not later.outputs or any(output.problem for output in later.outputs):
            return seen
        outputs = [
            o.model_copy(update={"right_later": True}) if o.problem in _VALUES else o
            for o in seen.outputs
        ]
        return seen.model_copy(update={"outputs": tuple(outputs)})

    def _explain(self, seen: CallSeen, raw: RawCall, one: _Asked, later: list[_Asked]) -> CallSeen:
        """Is the wrong answer the right answer to something else?"""
        outputs = []
        for index, (output, tensor) in enumerate(zip(seen.outputs, tensors_of(raw), strict=False)):
            if output.problem is None or tensor is None:
                outputs.append(output)
                continue
            outputs.append(self._explain_output(output, index, tensor, (one, later)))
        explained = tuple(outputs) or seen.outputs
        return seen.model_copy(update={"outputs": explained})

    def _explain_output(
        self, output: OutputSeen, index: int, tensor: object, context: tuple[_Asked, list[_Asked]]
    ) -> OutputSeen:
        one, later = context
        update: dict[str, object] = {}
        for back, earlier in enumerate(reversed(self._asked[-_REMEMBERED:])):
            if _answers(earlier, index, tensor):
                update["matches_earlier_call"] = len(self._asked) - 1 - back
                break
        for ahead, other in enumerate(later):
            if _answers(other, index, tensor):
                update["matches_later_call"] = len(self._asked) + 1 + ahead
                break
        update["matches_old_weights"] = self._matches_old_weights(one, index, tensor)
        return output.model_copy(update=update)

    def _matches_old_weights(self, one: _Asked, index: int, tensor: object) -> bool:
        """The same content under weights the instance had before, or was constructed with."""
        instance = self.exam.instance_of(one.scripted.question.workload)
        if not self.exam.state(instance, 0):
            return False
        older = [v for v in (SEEDED, 0, one.version - 1) if v != one.version]
        for version in older:
            expected = self.exam.expectation(one.scripted.question, version)
            if _answers(_Asked(one.scripted, version, expected), index, tensor):
                return True
        return False


def _parts(batch: ScriptedBatch) -> list[ScriptedBatch]:
    """The calls of a batch one by one: what each leaves behind must not reach the next."""
    return [replace(batch, calls=(call,), rapid=False) for call in batch.calls]


def _answers(asked: _Asked, index: int, tensor: object) -> bool:
    """Whether the tensor is the right answer to that call, where that is saying something."""
    if index >= len(asked.expectations) or not isinstance(tensor, torch.Tensor):
        return False
    expected = asked.expectations[index]
    return is_telling(expected) and same_answer(expected, tensor)


def _dispatched(statement: str, planned: list[PlannedCall], asked: list[_Asked]) -> DispatchSeen:
    ops = []
    for line in statement.splitlines()[:500]:
        name, _, rest = line.partition("\t")
        calls, _, elements = rest.partition("\t")
        if calls.isdigit() and elements.isdigit():
            ops.append(OpCount(name=name[:120], calls=int(calls), elements=int(elements)))
    largest_in = max((t.numel() for p in planned for t in p.content.tensors), default=0)
    largest_out = max((e.reference.numel() for a in asked for e in a.expectations), default=0)
    return DispatchSeen(
        logged_calls=len(planned), own_elements=max(largest_in, largest_out), ops=tuple(ops)
    )
