"""FullShapeExam: the task's own shape, drawn and judged on the device it is timed on.

The rule: inputs are made where they are used, nothing is kept that can be drawn again, and every
element of an answer is judged, a block of independent parts at a time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from assay.data.observations.call import CallSeen
from assay.data.plan import Plan
from assay.data.workload import Distribution
from assay.devices.device_shortage import Others, patiently
from assay.errors import HostError, TaskError
from assay.exam.call_reading import CallFacts
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.exam.full_shape.block_reading import BlockReading
from assay.exam.full_shape.independent_parts import IndependentParts
from assay.exam.secret import Secret
from assay.exam.weight_scales import Weights
from assay.numerics.expectation import ExpectationRequest, OutputExpectation, PlantedElement, expect
from assay.sandbox.host.call_content import Content, few_changed
from assay.sandbox.host.planned_call import Spot
from assay.sandbox.host.raw_call import RawCall
from assay.tasks.references.reference import BoundReference, Reference


@dataclass(frozen=True)
class Cutting:
    """How the full shape is cut for judging."""

    parts: IndependentParts | None  # None: it is judged whole
    block: int  # parts of one block


class FullShapeExam(Exam):
    """One workload: the own one at its own size."""

    warm_up_spot = traced_spot = Spot("timed 0")  # the one place: memory is short
    most_timed = 1

    def __init__(self, reference: Reference, plan: Plan, cutting: Cutting, device: str) -> None:
        self.cutting = cutting
        self.others: Others = tuple  # who else is on the device, for whoever lacks memory there
        self._device = torch.device(device)
        super().__init__(reference, plan)

    @classmethod
    def beside(cls, exam: Exam, cutting: Cutting, device: str) -> FullShapeExam:
        """With the settings of an exam of smaller shapes, and with a secret of its own."""
        labels = [exam.secret.seed("full shape", part) for part in range(4)]
        secret = Secret(b"".join(label.to_bytes(8, "little") for label in labels).hex())
        own = exam.reference.own_workload()
        update = {"secret": secret.hex, "workloads": (own,), "drawn_for": "", "shared": None}
        made = cls(exam.reference, exam.plan.model_copy(update=update), cutting, device)
        made.turn = exam.turn  # one thread at a time runs the reference
        return made

    def bound(self, instance: int) -> BoundReference:
        """The live reference, on the device."""
        with self.turn:
            if instance not in self._bound:
                spec = self._instances[instance]
                made = self.reference.bind(dict(spec.axes), spec.seed, spec.training)
                module = made.module.to(self._device)
                self._bound[instance] = BoundReference(self.reference.task.id, module)
            return self._bound[instance]

    def _drawn(self, content_key: ContentKey) -> tuple[Content, PlantedElement | None]:
        """Drawn anew whenever it is asked for."""
        with self.turn:
            seed = self.secret.seed("content", content_key.workload, content_key.draw)
            content = self._on_device(seed)
            for variant in range(content_key.variant):
                rng = self.secret.random("few", content_key, variant)
                content = few_changed(content, rng)
            return content, None

    def throw_away(self, workload: int) -> Content:
        """From a seed that nothing else uses."""
        with self.turn:
            return self._on_device(Secret.draw().seed("throw away"))

    @property
    def throw_away_content(self) -> Content:
        """Drawn for each build."""
        return self.throw_away(0)

    @cached_property
    def timed_contents(self) -> tuple[Content, Content]:
        """One content, which is changed before every timed call: two would not fit."""
        content = self.content(ContentKey(0, Draw(Purpose.TIMING)))
        return content, content

    def forget(self) -> None:
        """Give back what is kept of the device's memory."""
        self.__dict__.pop("timed_contents", None)
        self._give_back()

    def _give_back(self) -> None:
        """What torch keeps of memory that nothing uses any more."""
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _on_device(self, seed: int) -> Content:
        reference = self.reference
        reference.structures()  # found on small runs, which are the host's
        if self._device.type == "cuda":
            torch.cuda.init()  # before that its generator is not seeded
        plain = {"distribution": Distribution.OWN, "scale": 0, "values": ()}
        workload = self.plan.workloads[0].model_copy(update=plain)

        def drawn() -> Content:
            with torch.device(self._device):
                values = reference.draw(workload, seed)
            return Content(tuple(self._moved(value) for value in values))

        return patiently(drawn, self._give_back, self.others)

    def _moved(self, value: Any) -> Any:
        return value.to(self._device) if isinstance(value, torch.Tensor) else value

    def worked_out(
        self, content_key: ContentKey, weights: Weights
    ) -> tuple[OutputExpectation, ...]:
        """The outputs without their numbers."""
        return self._forms

    def expectation_of(
        self, content: Content, weights: Weights, seed: int
    ) -> tuple[OutputExpectation, ...]:
        """The outputs without their numbers."""
        return self._forms

    @cached_property
    def _forms(self) -> tuple[OutputExpectation, ...]:
        """By a run of the first part."""
        parts, found = self.cutting.parts, self.reference.footprint(self.reference.own_axes)
        assert found is not None
        inputs = self._on_device(Secret.draw().seed("form")).inputs
        some = inputs if parts is None else parts.of_inputs(inputs, 0, 1)
        outputs = self.bound(0)(some, self.state(0), wide=False)
        pairs = zip(outputs.names, outputs.tensors, found.outputs, strict=True)
        return tuple(_form(name, shape, tensor.dtype) for name, tensor, shape in pairs)

    def judge_call(
        self, raw: RawCall, content: Content, weights: Weights, facts: CallFacts
    ) -> CallSeen:
        """Every element, block by block, with the reference on the device."""

        def expected(start: int, stop: int) -> tuple[OutputExpectation, ...]:
            return self._expected(content.inputs, weights, (start, stop))

        reading = BlockReading(self.cutting.parts, self.cutting.block, expected)

        def read() -> CallSeen:
            with self.turn, pinned_precision(self.plan.tf32):
                return reading.read(raw, self._forms, facts)

        try:
            return patiently(read, self._give_back, self.others)
        except TaskError as error:  # it ran at other shapes: what is missing here is memory
            raise HostError(f"judging the full shape: {error}") from error

    def _expected(
        self, inputs: Sequence[Any], weights: Weights, cut: tuple[int, int]
    ) -> tuple[OutputExpectation, ...]:
        parts = self.cutting.parts
        some = list(inputs) if parts is None else parts.of_inputs(inputs, *cut)
        seed = self.secret.seed("probe", *cut)
        request = ExpectationRequest(seed=seed, tf32=self.plan.tf32)
        return expect(self.bound(0), some, self.state(0, weights), request)

    @property
    def blocks(self) -> int:
        """How many an answer is judged in."""
        count = 1 if self.cutting.parts is None else self.cutting.parts.count
        return -(-count // self.cutting.block)


def _form(name: str, shape: Sequence[int], dtype: torch.dtype) -> OutputExpectation:
    empty = torch.empty(tuple(shape), dtype=dtype, device="meta")
    return OutputExpectation(
        name=name, shape=tuple(shape), dtype=dtype, truth=empty, budget=None, reference=empty
    )


@contextlib.contextmanager
def pinned_precision(tf32: bool) -> Iterator[None]:
    """The reference multiplies on the device as the task's policy says."""
    backends: tuple[Any, ...] = (torch.backends.cuda.matmul, torch.backends.cudnn)
    before = [backend.allow_tf32 for backend in backends]
    for backend in backends:
        backend.allow_tf32 = tf32
    try:
        yield
    finally:
        for one, was in zip(backends, before, strict=True):
            one.allow_tf32 = was
