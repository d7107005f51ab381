"""Footprint: the shapes a task has under given sizes, found without computing.

The rule: a modest task is tried with real tensors, under a limit of elements; a large or slow one
with meta tensors, which have a shape and no values.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from assay.errors import TaskError
from assay.tasks.references.reference_outputs import flatten
from assay.tasks.references.task_source import (
    InitCall,
    TaskModule,
    TaskSource,
    kept_generators,
    user_code,
)
from assay.tasks.shapes.shapes_only import ChecksHold, NamedOnMeta, ShapesOnly, SizeLimit

Shape = tuple[int, ...]
REAL_ELEMENTS = 1 << 22  # the largest tensor made in a trial on real tensors
REAL_MULTIPLICATIONS = 1 << 30  # about 0.05 s on one core
SLOW_TRIAL_S = 0.04


@dataclass(frozen=True)
class Footprint:
    """Shapes of inputs (None for what is no tensor), state and outputs."""

    inputs: tuple[Shape | None, ...]
    init: str
    state: tuple[tuple[str, Shape], ...]
    outputs: tuple[Shape, ...]
    arguments: tuple[tuple[str, str], ...] = ()  # the constructor's, by name

    @property
    def input_elements(self) -> int:
        """Elements of all inputs together."""
        return sum(math.prod(shape) for shape in self.inputs if shape is not None)

    @property
    def state_elements(self) -> int:
        """Elements of all parameters and buffers together."""
        return sum(math.prod(shape) for _, shape in self.state)

    def changed_argument(self, other: Footprint) -> str:
        """The one argument of the constructor in which the two differ; empty where none or more."""
        mine, others = dict(self.arguments), dict(other.arguments)
        differing = [name for name, value in mine.items() if others.get(name) != value]
        return differing[0] if len(differing) == 1 else ""

    def same_shapes(self, other: Footprint) -> bool:
        """True where no size differs."""
        mine, theirs = (self.inputs, self.state, self.outputs), (other.inputs, other.state)
        return mine == (*theirs, other.outputs)

    def same_kind(self, other: Footprint) -> bool:
        """True where only sizes differ: same count and rank of everything, same parameters."""
        return _ranks(self.inputs) == _ranks(other.inputs) and (
            [(name, len(shape)) for name, shape in self.state]
            == [(name, len(shape)) for name, shape in other.state]
            and _ranks(self.outputs) == _ranks(other.outputs)
        )


def _ranks(shapes: tuple[Shape | None, ...]) -> list[int | None]:
    return [None if shape is None else len(shape) for shape in shapes]


class Prober:
    """Tries sizes on one task and remembers what it learned."""

    def __init__(self, source: TaskSource) -> None:
        self._source = source
        self._known: dict[tuple[tuple[str, int], ...], Footprint | None] = {}
        self._modules: dict[tuple[str, tuple[tuple[str, int], ...]], torch.nn.Module] = {}
        self._shapes: dict[tuple[tuple[str, int], ...], tuple[Shape | None, ...]] = {}
        self.trials = 0
        self._device = "cpu"

    def own(self) -> Footprint | None:
        """The footprint of the task's own sizes; it decides between real and meta tensors."""
        began_s = time.thread_time()
        found = self.at({})
        fast = time.thread_time() - began_s < SLOW_TRIAL_S
        if found is not None and (fast or self._recurrent()):
            return found
        self._switch("meta")
        on_meta = self.at({})
        if on_meta is None and found is not None:
            self._switch("cpu")
            return self.at({})
        return on_meta

    def _recurrent(self) -> bool:
        """True for recurrent layers: on meta they are unrolled, 12 s for an LSTM of 512 steps."""
        layers = [layer for module in self._modules.values() for layer in module.modules()]
        return any(isinstance(layer, torch.nn.RNNBase) for layer in layers)

    def _switch(self, device: str) -> None:
        self._device = device
        self._known.clear()
        self._modules.clear()

    def at(self, sizes: Mapping[str, int]) -> Footprint | None:
        """The footprint under `sizes` (by site key); None where the task does not run."""
        key = tuple(sorted(sizes.items()))
        if key not in self._known:
            self.trials += 1
            try:
                self._known[key] = self._try(sizes)
            except TaskError:
                self._known[key] = None
        return self._known[key]

    def input_shapes(self, sizes: Mapping[str, int]) -> tuple[Shape | None, ...]:
        """Shapes of the inputs alone; the reference is not run."""
        key = tuple(sorted(sizes.items()))
        if key not in self._shapes:
            self._shapes[key] = _shapes(shapes_of_inputs(self._source.module(sizes)))
        return self._shapes[key]

    def _try(self, sizes: Mapping[str, int]) -> Footprint:
        task = self._source.task
        module = self._source.module(sizes)
        with user_code(task.id, "a trial"), kept_generators(), torch.no_grad(), self._cheaply():
            inputs = [_moved(value, self._device) for value in module.inputs(0)]
            init = module.init_call()
            instance = self._instance(module, init, sizes)
            shapes = _shapes(inputs)
            made = instance(*inputs)
            outputs = tuple(tuple(tensor.shape) for _, tensor in flatten(made))
        state = [(name, tuple(value.shape)) for name, value in instance.state_dict().items()]
        return Footprint(shapes, repr(init), tuple(state), outputs, module.arguments(init))

    @contextlib.contextmanager
    def _cheaply(self) -> Iterator[None]:
        """No values at all, or real ones within a limit."""
        if self._device == "meta":
            with ChecksHold(), torch.device("meta"):
                yield
        else:
            with SizeLimit(REAL_ELEMENTS, REAL_MULTIPLICATIONS):
                yield

    def _instance(
        self, module: TaskModule, init: InitCall, sizes: Mapping[str, int]
    ) -> torch.nn.Module:
        """A module for these constructor values; one is shared where only the inputs differ."""
        outside = self._source.names_outside_inputs
        baked = tuple(sorted(item for item in sizes.items() if item[0].split("[")[0] in outside))
        key = (repr(init), baked)
        if key not in self._modules:
            self._modules[key] = module.build(init).to(self._device)
        return self._modules[key]


def shapes_of_inputs(module: TaskModule) -> list[Any]:
    """The inputs without their values: right in shape and dtype, nothing is drawn."""
    for limit in (REAL_ELEMENTS, 0):
        code = user_code(module.task.id, "get_inputs")
        with contextlib.suppress(TaskError), kept_generators(), ShapesOnly(limit), code:
            return module.inputs(0)
    code = user_code(module.task.id, "get_inputs")
    with code, kept_generators(), torch.device("meta"), NamedOnMeta():
        return module.inputs(0)


def _moved(value: Any, device: str) -> Any:
    return value.to(device) if isinstance(value, torch.Tensor) else value


def _shapes(values: list[Any]) -> tuple[Shape | None, ...]:
    return tuple(tuple(v.shape) if isinstance(v, torch.Tensor) else None for v in values)
