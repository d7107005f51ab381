"""Reference: the live task on the trusted side: it constructs, draws, and knows its shape space.

The rule: the same axes and seed give the same inputs, weights and module, in any process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import torch

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task
from assay.data.workload import Distribution, Workload
from assay.errors import TaskError
from assay.tasks.bound import BoundReference, reference_repeats
from assay.tasks.distributions import Drawn, redraw, structures
from assay.tasks.footprint import Footprint, Prober, shapes_of_inputs
from assay.tasks.inference import ShapeSpace, declared_space, infer_space
from assay.tasks.largest_result import largest_result
from assay.tasks.layouts import lay_out
from assay.tasks.marked_values import Marks, open_masks
from assay.tasks.outputs import Outputs
from assay.tasks.source import (
    InitCall,
    TaskModule,
    TaskSource,
    kept_generators,
    seed_everything,
    user_code,
)
from assay.tasks.state import draw_state
from assay.tasks.structure import Structure

__all__ = ["BoundReference", "Outputs", "Reference", "reference_repeats"]

STRUCTURE_ELEMENTS = 1 << 22  # own draws up to here show the structure of the inputs
MAX_RELATIVE_ERROR = 0.01
_CHECK_SEED = 7
_NON_FINITE = (Distribution.NAN, Distribution.INF)


class Reference:
    """A task, executed."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._source = TaskSource(task)
        self._own_module = self._source.module({})
        self._prober = Prober(self._source)
        self._checkers: dict[tuple[tuple[str, int], ...], BoundReference] = {}

    @cached_property
    def space(self) -> ShapeSpace:
        """Declared axes, else inferred ones."""
        if self.task.axes:
            return declared_space(self.task.axes)
        return infer_space(self._prober, self._source.sites_by_promise())

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the shape space."""
        return self.space.axes

    @property
    def own_axes(self) -> dict[str, int]:
        """The task's own point of its shape space."""
        return {axis.name: axis.own for axis in self.axes}

    @cached_property
    def dtype(self) -> str:
        """Name of the dtype of the first float input, else of the first tensor, else float32."""
        made = shapes_of_inputs(self._own_module)
        tensors = [value for value in made if isinstance(value, torch.Tensor)]
        floats = [tensor for tensor in tensors if tensor.is_floating_point()]
        first = (floats or tensors or [torch.empty(0)])[0]
        return str(first.dtype).removeprefix("torch.")

    def own_workload(self) -> Workload:
        """The task's own benchmark shape and generator."""
        return Workload(axes=self.own_axes, dtype=self.dtype, own=True)

    def footprint(self, axes: Mapping[str, int]) -> Footprint | None:
        """Shapes at these axes, without computing; None where the task does not run there."""
        self.space  # noqa: B018 - inference first decides between meta and real trials
        return self._prober.at(self._sizes(axes))

    def input_shapes(self, axes: Mapping[str, int]) -> tuple[tuple[int, ...] | None, ...]:
        """Shapes of the inputs at these axes (None for what is no tensor); nothing is drawn."""
        return self._prober.input_shapes(self._sizes(axes))

    def config(self, axes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """The part of `axes` on which the constructor depends."""
        names = [axis.name for axis in self.axes if axis.role is AxisRole.CONFIG]
        return tuple((name, axes[name]) for name in names if name in axes)

    def init_call(self, axes: Mapping[str, int]) -> InitCall:
        """Positional and keyword values for the constructor."""
        return self._init_call(self._module(axes))

    def init_args(self, axes: Mapping[str, int]) -> tuple[Any, ...]:
        """Positional values for the constructor; `init_call` has the keywords too."""
        return self.init_call(axes).args

    def construct(self, axes: Mapping[str, int], seed: int) -> torch.nn.Module:
        """A new instance, in the mode (train or eval) in which the task leaves it."""
        with kept_generators():
            seed_everything(seed)
            module = self._module(axes)
            init = self._init_call(module)
            with user_code(self.task.id, f"{self.task.entry}(...)"), torch.no_grad():
                seed_everything(seed)
                return module.build(init)

    def bind(
        self, axes: Mapping[str, int], seed: int, training: bool | None = None
    ) -> BoundReference:
        """A callable instance; `training` None leaves the mode as constructed."""
        module = self.construct(axes, seed)
        if training is not None:
            module.train(training)
        return BoundReference(self.task.id, module)

    def draw(self, workload: Workload, seed: int) -> tuple[Any, ...]:
        """The inputs of one call, with the strides the workload asks for."""
        return self.draw_planted(workload, seed).inputs

    def draw_planted(self, workload: Workload, seed: int) -> Drawn:
        """The same as `draw`, with the place of a planted NaN or infinity."""
        own = self._own_draw(workload.axes, seed)
        marks = self._marks if workload.distribution is Distribution.MARKED else None
        drawn = redraw(own, workload.distribution, seed, self._structures, marks)
        inputs = lay_out(drawn.inputs, workload.layout, self._structures)
        return Drawn(inputs, drawn.planted)

    def draw_state(self, module: torch.nn.Module, seed: int) -> dict[str, torch.Tensor]:
        """New values for every parameter and buffer of `module.state_dict()`."""
        return draw_state(module, seed)

    def admits(self, workload: Workload, inputs: Sequence[Any]) -> bool:
        """True where the reference runs on `inputs`, stays finite and is accurate to 1 %.

        A planted NaN or infinity only has to run.
        """
        try:
            bound = self._checker(workload.axes)
            state = draw_state(bound.module, _CHECK_SEED)
            own = bound(inputs, state, wide=False)
            if workload.distribution in _NON_FINITE:
                return True
            truth = bound(inputs, state, wide=True)
        except TaskError:
            return False
        return own.names == truth.names and all(
            accurate(a, b) for a, b in zip(own.tensors, truth.tensors, strict=True)
        )

    def largest_result(self, workload: Workload, inputs: Sequence[Any]) -> int:
        """Elements of the largest tensor a call makes, where shapes alone tell; else 0."""
        try:
            return largest_result(self._checker(workload.axes).module, inputs) or 0
        except TaskError:
            return 0

    def structures(self) -> tuple[Structure, ...]:
        """What the own generator promises about each input."""
        return self._structures

    def has_marks(self) -> bool:
        """Whether some input can be masked, or carry a label that is left out."""
        own = self._own_draw(self._showing_axes(), _CHECK_SEED)
        return bool(self._marks or open_masks(own))

    @cached_property
    def _marks(self) -> dict[int, int]:
        """Labels that the reference tells its operators to leave out, by input."""
        axes = self._showing_axes()
        inputs = self._own_draw(axes, _CHECK_SEED)
        module = self._checker(axes).module
        marks = Marks(inputs)
        with user_code(self.task.id, "the reference"), torch.no_grad(), kept_generators(), marks:
            module(*inputs)
        return marks.found

    @cached_property
    def _structures(self) -> tuple[Structure, ...]:
        return structures(self._own_draw(self._showing_axes(), _CHECK_SEED))

    def _showing_axes(self) -> dict[str, int]:
        """Own axes, the largest halved until a draw is cheap."""
        axes = self.own_axes
        steps = {axis.name: axis for axis in self.axes}
        for _ in range(40):
            shapes = self.input_shapes(axes)
            if sum(torch.Size(s).numel() for s in shapes if s is not None) <= STRUCTURE_ELEMENTS:
                break
            name = max(axes, key=lambda n: axes[n] / steps[n].multiple_of, default=None)
            if name is None or axes[name] <= steps[name].low:
                break
            half = axes[name] // 2 // steps[name].multiple_of * steps[name].multiple_of
            axes[name] = max(steps[name].low, half)
        return axes

    def _own_draw(self, axes: Mapping[str, int], seed: int) -> list[Any]:
        with kept_generators():
            seed_everything(seed)
            module = self._module(axes)
            with user_code(self.task.id, "get_inputs"), torch.no_grad():
                seed_everything(seed)
                return module.inputs(seed)

    def _checker(self, axes: Mapping[str, int]) -> BoundReference:
        """A bound instance for these constructor values."""
        key = self.config(axes)
        if key not in self._checkers:
            self._checkers[key] = self.bind(axes, _CHECK_SEED)
        return self._checkers[key]

    def _sizes(self, axes: Mapping[str, int]) -> dict[str, int]:
        own = self.own_axes
        return self.space.sizes({n: v for n, v in axes.items() if n in own and v != own[n]})

    def _module(self, axes: Mapping[str, int]) -> TaskModule:
        return self._source.module(self._sizes(axes))

    def _init_call(self, module: TaskModule) -> InitCall:
        with user_code(self.task.id, "get_init_inputs"):
            return module.init_call()


def accurate(own: torch.Tensor, truth: torch.Tensor) -> bool:
    """Both finite, and apart by less than 1 % of the largest true value; integers equal."""
    if own.shape != truth.shape:
        return False
    if not (own.is_floating_point() or own.is_complex()):
        return torch.equal(own, truth.to(own.dtype))
    if not (own.isfinite().all() and truth.isfinite().all()):
        return False
    if own.numel() == 0:
        return True
    error = (own.to(truth.dtype) - truth).abs().max()
    return bool(error <= MAX_RELATIVE_ERROR * truth.abs().max())
