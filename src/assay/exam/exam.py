"""Exam: everything about a task that is drawn and computed once and asked of every candidate.

The rule: it is made from the secret and the reference alone, never from a candidate, so that all
candidates of one call meet the same questions and share the cost of the answers. What is drawn for
one candidate beyond that is added to a view of its own (`for_candidate`). One thread at a time:
drawing sets the generators of the whole process.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial

import torch

from assay.data.contract import Quantised
from assay.data.observations.call import CallSeen
from assay.data.plan import Plan, Redrawn
from assay.data.workload import Distribution, Workload
from assay.exam.builds.instance_spec import InstanceSpec
from assay.exam.call_reading import CallFacts, read_call, returned
from assay.exam.for_candidate.layered_cache import LayeredCache
from assay.exam.on_device.device_answers import DeviceAnswers
from assay.exam.secret import Secret
from assay.exam.weight_scales import (
    FIRST_WEIGHTS,
    HALVES,
    SEEDED,
    Weights,
    half_weights,
    parameters,
    partial_weights,
    scaled_weights,
)
from assay.exam.workloads.drawn_content import DrawnContent, content_of, first_answered
from assay.numerics.expectation import ExpectationRequest, OutputExpectation, expect
from assay.numerics.matching import same_answer
from assay.numerics.output_expectation import PROBES
from assay.sandbox.host.call_content import Content, few_changed
from assay.sandbox.host.changes.spread_change import float_positions
from assay.sandbox.host.planned_call import AT_START, WARM_UP
from assay.sandbox.host.raw_call import RawCall
from assay.source_analysis.literals.source_literal import SourceLiteral
from assay.tasks.references.reference import BoundReference, Reference
from assay.tasks.references.reference_outputs import BUFFER_PREFIX
from assay.tasks.relations.relation import Relation

_EXTREMES = (3, 30)  # extreme elements tried where three ordinary ones left the answer as it was
_EXACT = (Distribution.DYADIC, Distribution.CODES)


class Purpose(StrEnum):
    """What a content is drawn for."""

    SCRIPT = "script"
    TAIL = "tail"  # many cheap calls of small shapes
    REPETITION = "repetition"
    TIMING = "timing"


@dataclass(frozen=True)
class Draw:
    """One of the contents that are drawn for a purpose."""

    purpose: Purpose = Purpose.SCRIPT
    number: int = 0

    def __str__(self) -> str:
        return f"{self.purpose} {self.number}"


@dataclass(frozen=True)
class ContentKey:
    """Which content of which workload: `variant` counts versions with a few elements changed.

    With a relation it is the relation's second call on that content, or, `before`, its first.
    """

    workload: int
    draw: Draw = Draw()
    variant: int = 0
    relation: str = ""
    before: bool = False

    def following(self, count: int) -> list[ContentKey]:
        """The next contents of the same workload."""
        purpose, last = self.draw.purpose, self.draw.number
        return [ContentKey(self.workload, Draw(purpose, last + 1 + i)) for i in range(count)]


Key = tuple[ContentKey, Weights]


class Exam:
    """Instances, contents, weights and expectations, each made when first needed and kept."""

    warm_up_spot = WARM_UP  # where the arguments of a build's calls lie
    traced_spot = AT_START  # and those of calls whose kernels are recorded
    most_timed = 1024  # calls of one batch whose inputs fit the memory

    def __init__(self, reference: Reference, plan: Plan) -> None:
        self.reference, self.plan = reference, plan
        self.turn = threading.RLock()  # who runs the reference other than through here takes it
        self.elsewhere: Callable[[Key], None] | None = None  # may know what is not known here
        self.device: DeviceAnswers | None = None  # where candidates run elsewhere than on the host
        self.secret, self.probes = Secret(plan.secret), PROBES
        self.literals: tuple[SourceLiteral, ...] = ()  # of the candidate that it is a view for
        self._bound: MutableMapping[int, BoundReference] = {}
        self._instances: list[InstanceSpec] = []
        self._instance_of: list[int] = []
        self._contents: MutableMapping[ContentKey, DrawnContent] = {}
        self._left_out: MutableMapping[ContentKey, int] = {}  # draws that are not answered
        self._states: MutableMapping[tuple[int, Weights], dict[str, torch.Tensor]] = {}
        self._expectations: MutableMapping[Key, tuple[OutputExpectation, ...]] = {}
        self.relations: dict[str, Relation] = {}  # those that hold, by name, once they were sought
        self._numbers: dict[tuple[object, bool | None], int] = {}
        for workload in plan.workloads:
            self._number(workload)

    def admit(self, workload: Workload) -> None:
        """One more at the end of the plan; what is known stays."""
        self.plan = self.plan.model_copy(update={"workloads": (*self.plan.workloads, workload)})
        self._number(workload)

    def for_candidate(self, candidate: str, literals: tuple[SourceLiteral, ...]) -> Exam:
        """A view to which workloads for one candidate can be added; the rest stays shared."""
        with self.turn:
            _ = self.throw_away_content  # drawn once for all
            view = copy.copy(self)
        workloads, instances = len(self.plan.workloads), len(self._instances)
        view.plan = self.plan.model_copy(update={"drawn_for": candidate, "shared": workloads})
        view.literals = literals
        view._instances, view._instance_of = list(self._instances), list(self._instance_of)
        view._numbers = dict(self._numbers)
        view._bound = LayeredCache(self._bound, lambda number: number < instances)
        view._states = LayeredCache(self._states, lambda key: key[0] < instances)
        view._contents = LayeredCache(self._contents, lambda key: key.workload < workloads)
        view._left_out = LayeredCache(self._left_out, lambda key: key.workload < workloads)
        view._expectations = LayeredCache(
            self._expectations, lambda key: key[0].workload < workloads
        )
        return view

    @property
    def asked_plan(self) -> Plan:
        """The plan, with what was drawn again so far."""
        redrawn = (
            Redrawn(workload=key.workload, draw=str(key.draw), variant=key.variant, left_out=count)
            for key, count in self._left_out.items()
            if count
        )
        return self.plan.model_copy(update={"redrawn": tuple(redrawn)})

    @property
    def instances(self) -> list[InstanceSpec]:
        """Distinct constructor configurations; number 0 is the task's own."""
        return self._instances

    def instance_of(self, workload: int) -> int:
        """The configuration a workload runs on."""
        return self._instance_of[workload]

    @property
    def main_workloads(self) -> list[int]:
        """Workloads of the task's own configuration: they share one instance."""
        return [i for i, number in enumerate(self._instance_of) if number == 0]

    def content(self, content_key: ContentKey) -> Content:
        """The arguments; drawn once."""
        with self.turn:
            return self._drawn(content_key)[0]

    def state(self, instance: int, weights: Weights = FIRST_WEIGHTS) -> dict[str, torch.Tensor]:
        """The parameters and buffers of one version."""
        with self.turn:
            key = (instance, weights)
            if key not in self._states:
                self._states[key] = self._draw_state(instance, weights)
            return self._states[key]

    def _draw_state(self, instance: int, weights: Weights) -> dict[str, torch.Tensor]:
        """All entries anew; of a half only some, which the other half leaves."""
        module = self.bound(instance).module
        if weights.as_constructed:
            return {k: v.detach().clone() for k, v in module.state_dict().items()}
        seed = self.secret.seed("state", instance, weights)
        drawn = self.reference.draw_state(module, seed)
        if weights.scaled:
            return scaled_weights(weights, module, drawn)
        if weights.in_part:
            rng = self.secret.random("in part", instance, weights)
            (before,) = weights.before
            return partial_weights(weights, module, self.state(instance, before), drawn, rng)
        if weights not in HALVES:
            return drawn
        rng = self.secret.random("partial", instance)
        return half_weights(weights, drawn, self.state(instance), rng)

    def bears(self, content_key: ContentKey, weights: Weights) -> bool:
        """Whether there are parameters to scale, and the reference is accurate with the scale."""
        module = self.bound(self.instance_of(content_key.workload)).module
        if isinstance(self.reference.task.contract, Quantised) or not parameters(module):
            return False
        return all(e.in_domain and not e.special for e in self.expectation(content_key, weights))

    def expectation(
        self, content_key: ContentKey, weights: Weights = FIRST_WEIGHTS
    ) -> tuple[OutputExpectation, ...]:
        """What the call must return. Costs several evaluations of the reference; kept."""
        with self.turn:
            key = self.key(content_key, weights)
            if key not in self._expectations and self.elsewhere is not None:
                self.elsewhere(key)
            if key not in self._expectations:
                self._expectations[key] = self.worked_out(*key)
            return self._expectations[key]

    def worked_out(
        self, content_key: ContentKey, weights: Weights
    ) -> tuple[OutputExpectation, ...]:
        """The same, made anew."""
        return self._expectation_on(content_key, self._drawn(content_key), weights)

    def _expectation_on(
        self, content_key: ContentKey, drawn: DrawnContent, weights: Weights = FIRST_WEIGHTS
    ) -> tuple[OutputExpectation, ...]:
        content, planted = drawn
        instance, workload = self.instance_of(content_key.workload), content_key.workload
        request = ExpectationRequest(
            seed=self.secret.seed("probe", content_key),
            probes=self.probes,
            planted=planted,
            exact=self._is_exact(self.plan.workloads[workload]),
            masked=self.plan.workloads[workload].distribution is Distribution.MINUS_INF,
            contract=self.reference.task.contract,
            tf32=self.plan.tf32,
        )
        return expect(self.bound(instance), content.inputs, self.state(instance, weights), request)

    def _is_exact(self, workload: Workload) -> bool:
        """Whether nothing need be rounded; a computed number beside a threshold may be."""
        if workload.distribution is Distribution.CONSTANTS:
            return not self.reference.meaning.constants.computed
        return workload.distribution in _EXACT

    def key(self, content_key: ContentKey, weights: Weights = FIRST_WEIGHTS) -> Key:
        """By what an expectation is known: without parameters every version is the same."""
        state = self.state(self.instance_of(content_key.workload), SEEDED)
        return content_key, weights if state else SEEDED

    def known(self) -> set[Key]:
        """The expectations that were worked out."""
        return set(self._expectations)

    def learn(self, key: Key, expectations: tuple[OutputExpectation, ...]) -> None:
        """Keep what was worked out elsewhere, by the same secret and reference."""
        self._expectations.setdefault(key, expectations)

    def revise(self, key: Key, expectations: tuple[OutputExpectation, ...]) -> None:
        """Keep what more became known of a question."""
        self._expectations[key] = expectations

    def expectation_of(
        self, content: Content, weights: Weights, seed: int
    ) -> tuple[OutputExpectation, ...]:
        """What a call of the first instance must return on contents of its own; not kept."""
        with self.turn:
            request = ExpectationRequest(
                seed=seed, contract=self.reference.task.contract, tf32=self.plan.tf32
            )
            return expect(self.bound(0), content.inputs, self.state(0, weights), request)

    def judge_call(
        self, raw: RawCall, content: Content, weights: Weights, facts: CallFacts
    ) -> CallSeen:
        """A call of the first instance on contents of its own, held against what it must return."""
        seed = self.secret.seed("judged", facts.index, facts.batch_size)
        return read_call(raw, returned(self.expectation_of(content, weights, seed)), facts)

    @property
    def stateful(self) -> bool:
        """Whether a call changes buffers or inputs of its own: then each call starts anew."""
        return bool(self.reference.updates) or self.remembers

    @property
    def keeps_apart(self) -> bool:
        """Whether the reference returns memory of its own, each output apart from the others."""
        return self.reference.keeps_apart

    @cached_property
    def remembers(self) -> bool:
        """Whether a call changes buffers of the instance, which the next one would find."""
        modes = {w.training: i for i, w in reversed(list(enumerate(self.plan.workloads)))}
        expected = [e for i in modes.values() for e in self.expectation(ContentKey(i))]
        return any(e.name.startswith(BUFFER_PREFIX) for e in expected)

    def bound(self, instance: int) -> BoundReference:
        """The live reference of one configuration."""
        with self.turn:
            if instance not in self._bound:
                spec = self._instances[instance]
                axes = dict(spec.axes)
                self._bound[instance] = self.reference.bind(axes, spec.seed, spec.training)
            return self._bound[instance]

    @cached_property
    def timed_contents(self) -> tuple[Content, Content]:
        """Of the own workload: timed calls begin from them, and nothing else is asked with them."""
        first, second = (ContentKey(0, Draw(Purpose.TIMING, number)) for number in range(2))
        return self.content(first), self.content(second)

    @cached_property
    def throw_away_content(self) -> Content:
        """Arguments of the own shape for the build."""
        return self.throw_away(0)

    def throw_away(self, workload: int) -> Content:
        """Ordinary arguments of a workload's shape, from a seed that nothing else uses."""
        seed = Secret.draw().seed("throw away")
        plain = {"distribution": Distribution.OWN, "scale": 0, "values": ()}
        with self.turn:
            drawn = self.plan.workloads[workload].model_copy(update=plain)
            return Content(self.reference.draw(drawn, seed))

    def _drawn(self, content_key: ContentKey) -> DrawnContent:
        if content_key not in self._contents:
            self._contents[content_key] = self._answered(content_key)
        return self._contents[content_key]

    def _answered(self, content_key: ContentKey) -> DrawnContent:
        """Drawn again where the reference raises on the values; few references ever do."""
        if content_key.relation or not self.reference.meaning.refuses_values:
            return self._draw(content_key)
        own = self.plan.workloads[content_key.workload].distribution is Distribution.OWN
        own = own and not content_key.variant
        draw = partial(self._draw, content_key)
        expected = partial(self._expectation_on, content_key)
        drawn, self._left_out[content_key] = first_answered(draw, expected, accurate=own)
        return drawn

    def _draw(self, content_key: ContentKey, left_out: int = 0) -> DrawnContent:
        again = (left_out,) if left_out else ()
        if content_key.variant:
            return self._vary(content_key, again), None
        if content_key.relation:
            return self._related(content_key), None
        workload = self.plan.workloads[content_key.workload]
        seed = self.secret.seed("content", content_key.workload, content_key.draw, *again)
        return content_of(self.reference.draw_planted(workload, seed))

    def _related(self, content_key: ContentKey) -> Content:
        relation = self.relations[content_key.relation]
        drawn = self.content(ContentKey(content_key.workload, content_key.draw))
        first = relation.base(drawn.inputs)
        return Content(tuple(first if content_key.before else relation.transform(first)))

    def _vary(self, content_key: ContentKey, again: tuple[int, ...]) -> Content:
        """A few elements of the variant before it changed, so that the answer changes too."""
        base = replace(content_key, variant=content_key.variant - 1)
        rng = self.secret.random("few", content_key, *again)
        changed = few_changed(self.content(base), rng, position=self._varied_input(content_key))
        for count in _EXTREMES:
            if not self._answers_too(base, changed):
                break
            changed = few_changed(self.content(base), rng, count, extreme=True)
        return changed

    def _varied_input(self, content_key: ContentKey) -> int | None:
        """The float inputs take turns from one content to the next, begun at a secret one."""
        positions = float_positions(self.content(ContentKey(content_key.workload)))
        turn = self.secret.random("varied", content_key.workload).randrange(1 << 16)
        number = turn + content_key.draw.number + content_key.variant
        return positions[number % len(positions)] if positions else None

    def _answers_too(self, content_key: ContentKey, content: Content) -> bool:
        """Whether the right answer to this content is a right answer to the question as well."""
        instance = self.instance_of(content_key.workload)
        found = self.bound(instance)(content.inputs, self.state(instance), wide=False)
        pairs = zip(self.expectation(content_key), found.tensors, strict=False)
        return all(same_answer(expected, tensor) for expected, tensor in pairs)

    def _number(self, workload: Workload) -> None:
        key = (self.reference.config(workload.axes), workload.training)
        if key not in self._numbers:
            self._numbers[key] = len(self._instances)
            self._instances.append(self._instance(workload, len(self._instances)))
        self._instance_of.append(self._numbers[key])

    def _instance(self, workload: Workload, number: int) -> InstanceSpec:
        axes, training = workload.axes, workload.training
        seed = self.secret.seed("construct", number)
        init = self.reference.init_call(axes)
        if training is None:
            training = self.reference.construct(axes, seed).training
        kwargs = tuple(init.kwargs.items())
        return InstanceSpec(tuple(axes.items()), init.args, kwargs, seed, training)
