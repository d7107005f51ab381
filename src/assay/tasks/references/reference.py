"""Reference: the live task on the trusted side: it constructs, draws, and knows its shape space.

The rule: the same axes and seed give the same inputs, weights and module, in any process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import torch

from assay.data.axis import Axis, AxisRole
from assay.data.contract import Quantised, Stochastic, Updates
from assay.data.task import Task
from assay.data.workload import Direction, Distribution, Layout, Workload
from assay.errors import TaskError
from assay.tasks.references.admission import Admission, Drawing, accurate, examine
from assay.tasks.references.bound_reference import BoundReference, has_answer, reference_repeats
from assay.tasks.references.constructor_defaults import default_variants
from assay.tasks.references.drawn_state import draw_state
from assay.tasks.references.in_place_updates import Update, declared_updates, found_updates
from assay.tasks.references.input_meaning import InputMeaning, OwnDraws, find_meaning
from assay.tasks.references.output_memory import outputs_apart
from assay.tasks.references.random_training import is_random_in_training
from assay.tasks.references.reference_outputs import Outputs
from assay.tasks.references.task_source import (
    InitCall,
    TaskModule,
    TaskSource,
    kept_generators,
    seed_everything,
    user_code,
)
from assay.tasks.shapes.footprint import Footprint, Prober, shapes_of_inputs
from assay.tasks.shapes.largest_result import largest_result, results_of
from assay.tasks.shapes.result_growth import ResultGrowth, learn_growth
from assay.tasks.shapes.shape_categories import legal
from assay.tasks.shapes.shape_inference import ShapeSpace, declared_space, infer_space
from assay.tasks.shapes.shapes_only import ProductCount
from assay.tasks.values.constant_values import at_thresholds, on_halves
from assay.tasks.values.distributions import Drawn, Values, redraw, structures
from assay.tasks.values.half_codes import coded_inputs
from assay.tasks.values.input_structure import Structure, with_domains
from assay.tasks.values.integer_draws import Extent, IntegerRequest
from assay.tasks.values.memory_layouts import lay_out, own_is_contiguous

__all__ = ["BoundReference", "Outputs", "Reference", "accurate", "reference_repeats"]

STRUCTURE_ELEMENTS = 1 << 22  # own draws up to here show the structure of the inputs
RUN_ELEMENTS = 1 << 17  # own draws up to here are run
_CHECK_SEED = 7
_SMALL_SIZE = 16


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
        return Workload(
            axes=self.own_axes,
            dtype=self.dtype,
            layout=self._own_layout,
            direction=self.task.direction,
            own=True,
        )

    @cached_property
    def _own_layout(self) -> Layout:
        drawn = self._own_draw(self._showing_axes(), _CHECK_SEED)
        return Layout.CONTIGUOUS if own_is_contiguous(drawn) else Layout.OWN

    def declared(self, name: str) -> Any:
        """What the task's source defines at its top level; None where it does not."""
        return self._own_module.declared(name)

    def footprint(self, axes: Mapping[str, int]) -> Footprint | None:
        """Shapes at these axes, without computing; None where the task does not run there."""
        self.space  # noqa: B018 - inference first decides between meta and real trials
        return self._prober.at(self.sizes(axes))

    def input_shapes(self, axes: Mapping[str, int]) -> tuple[tuple[int, ...] | None, ...]:
        """Shapes of the inputs at these axes (None for what is no tensor); nothing is drawn."""
        return self._prober.input_shapes(self.sizes(axes))

    def input_elements(self, axes: Mapping[str, int]) -> list[int]:
        """Elements of each tensor among the inputs at these axes.

        Of gradients it is foreseen: their shapes are those of a run of the forward pass.
        """
        if self._input_growth is not None:
            return self._input_growth.elements_at(axes)
        return _elements(self.input_shapes(axes))

    @cached_property
    def _input_growth(self) -> ResultGrowth | None:
        if self.task.direction is not Direction.BACKWARD:
            return None
        small = {axis.name: legal(axis, min(axis.own, _SMALL_SIZE)) for axis in self.axes}
        return learn_growth(lambda at: _elements(self.input_shapes(at)), small, self.axes)

    def config(self, axes: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        """The part of `axes` on which the constructor depends."""
        roles = (AxisRole.CONFIG, AxisRole.CONSTANT)
        names = [*(axis.name for axis in self.axes if axis.role in roles), *self._varied(axes)]
        return tuple((name, axes[name]) for name in names if name in axes)

    @cached_property
    def default_variants(self) -> dict[str, str]:
        """Axes of floats that the constructor takes by default, with the keys of what they set.

        A workload has such an axis only where it is varied.
        """
        taken = {axis.name for axis in self.axes}
        found = default_variants(self._own_module, self._prober).items()
        return {name: key for name, key in found if name not in taken}

    def init_call(self, axes: Mapping[str, int]) -> InitCall:
        """Positional and keyword values for the constructor."""
        return self._init_call(self._module(axes))

    def construct(self, axes: Mapping[str, int], seed: int) -> torch.nn.Module:
        """A new instance, in the mode in which the task leaves it unless that is random."""
        with kept_generators():
            seed_everything(seed)
            module = self._module(axes)
            init = self._init_call(module)
            with user_code(self.task.id, f"{self.task.entry}(...)"), torch.no_grad():
                seed_everything(seed)
                made = module.build(init)
                return made.eval() if self.asked_in_eval else made

    @cached_property
    def asked_in_eval(self) -> bool:
        """Whether it is random as the constructor leaves it, in training mode, and not in eval."""
        return is_random_in_training(self._module(self._running_axes()))

    def bind(
        self, axes: Mapping[str, int], seed: int, training: bool | None = None
    ) -> BoundReference:
        """A callable instance; `training` None leaves the mode as constructed.

        So does the mode it has already: a layer that the constructor froze stays frozen.
        """
        module = self.construct(axes, seed)
        if training is not None and module.training is not training:
            module.train(training)
        return BoundReference(self.task.id, module, self.updates)

    @cached_property
    def updates(self) -> tuple[Update, ...]:
        """Inputs that a call changes in place."""
        if isinstance(self.task.contract, Updates):
            return declared_updates(self.task.contract.inputs)
        axes = self._running_axes()
        inputs, module = self._own_draw(axes, _CHECK_SEED), self._checker(axes).module
        with user_code(self.task.id, "the reference"), torch.no_grad(), kept_generators():
            return found_updates(module, inputs)

    @cached_property
    def keeps_apart(self) -> bool:
        """Whether no output lies in memory of an input, a parameter or another output."""
        if self.updates:
            return False
        axes = self._running_axes()
        inputs, module = self._own_draw(axes, _CHECK_SEED), self._checker(axes).module
        with user_code(self.task.id, "the reference"), torch.no_grad(), kept_generators():
            return outputs_apart(module, inputs)

    def draw(self, workload: Workload, seed: int) -> tuple[Any, ...]:
        """The inputs of one call, with the strides the workload asks for."""
        return self.draw_planted(workload, seed).inputs

    def draw_planted(self, workload: Workload, seed: int) -> Drawn:
        """The same as `draw`, with the place of a planted NaN or infinity."""
        own = self._own_draw(workload.axes, seed)
        drawn = self._with_meaning(workload, own, seed)
        if drawn is None:
            values = Values(workload.distribution, workload.scale, workload.values)
            drawn = redraw(own, values, seed, self._structures)
        inputs = lay_out(drawn.inputs, workload.layout, self._structures)
        return Drawn(inputs, drawn.planted)

    def _with_meaning(self, workload: Workload, own: list[Any], seed: int) -> Drawn | None:
        """What is drawn by what the task says of its inputs; None for all other distributions."""
        if workload.distribution is Distribution.CODES:
            return Drawn(coded_inputs(own, self.task.contract, seed))
        if workload.distribution is Distribution.MARKED:
            generator = torch.Generator().manual_seed(seed)
            sizes = self._state_sizes(workload.axes)
            request = IntegerRequest(own, sizes, generator, Extent(workload.scale))
            return Drawn(self.meaning.draw(request))
        if workload.distribution is Distribution.CONSTANTS:
            drawer = on_halves if workload.scale else at_thresholds
            return Drawn(drawer(own, self.meaning.constants, self._structures, seed))
        return None

    def _state_sizes(self, axes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Shapes of parameters and buffers; a constructor is not run where none is asked for."""
        if all(domain.beyond is None for domain in self.meaning.domains.values()):
            return {}
        state = self._checker(axes).module.state_dict().items()
        return {name: tuple(value.shape) for name, value in state}

    def draw_state(self, module: torch.nn.Module, seed: int) -> dict[str, torch.Tensor]:
        """New values for every parameter and buffer of `module.state_dict()`."""
        return draw_state(module, seed, self.task.contract)

    @property
    def quantises_inputs(self) -> bool:
        """Whether the task declares that it turns its inputs into codes."""
        contract = self.task.contract
        return isinstance(contract, Quantised) and contract.activation_levels is not None

    def examine(self, workload: Workload, inputs: Sequence[Any]) -> Admission:
        """Whether the reference runs on `inputs`, stays finite and is accurate to 1 %.

        A planted NaN or infinity only has to run. Of what is admitted: do redrawn inputs tell?
        """
        try:
            bound = self._checker(workload.axes)
            state = self.draw_state(bound.module, _CHECK_SEED)
        except TaskError:
            return Admission.REFUSED
        drawing = Drawing(tuple(inputs), state, workload.distribution)
        return examine(bound, drawing, isinstance(self.task.contract, Stochastic))

    def largest_result(self, workload: Workload, inputs: Sequence[Any]) -> int:
        """Elements of the largest tensor a call makes, where small runs or shapes tell; else 0."""
        if self._growth is not None:
            return self.predicted_result(workload.axes)
        try:
            module = self._checker(workload.axes).module
            with user_code(self.task.id, "the reference"):
                return largest_result(module, inputs) or 0
        except TaskError:
            return 0

    def products(self, workload: Workload, inputs: Sequence[Any]) -> int:
        """Multiplications of the dense products that a call makes; 0 where it does not run."""
        count = ProductCount()
        try:
            module = self._checker(workload.axes).module
            with user_code(self.task.id, "the reference"), torch.no_grad(), count:
                module(*inputs)
        except TaskError:
            return 0
        return count.multiplications

    def predicted_result(self, axes: Mapping[str, int]) -> int:
        """Elements of the largest tensor a call makes there; 0 where small runs do not say."""
        return 0 if self._growth is None else self._growth.largest(axes)

    def predicted_burden(self, axes: Mapping[str, int]) -> int:
        """As `predicted_result`; where many tensors are made, what they are together."""
        return 0 if self._growth is None else self._growth.burden(axes)

    def foreseen_calls(self, axes: Mapping[str, int]) -> int:
        """How many tensors a call makes there: a loop over a size makes more; 0 where unknown."""
        if self._growth is not None:
            return len(self._growth.elements)
        return 0 if self._call_growth is None else self._call_growth.largest(axes)

    @cached_property
    def _call_growth(self) -> ResultGrowth | None:
        """How the number of results grows with the sizes."""
        return learn_growth(lambda at: [len(self._results(at))], self._running_axes(), self.axes)

    @cached_property
    def _growth(self) -> ResultGrowth | None:
        """How results grow with the sizes; None where small runs do not say."""
        return learn_growth(self._results, self._running_axes(), self.axes)

    def _results(self, axes: Mapping[str, int]) -> list[int]:
        inputs, module = self._own_draw(axes, _CHECK_SEED), self._checker(axes).module
        with user_code(self.task.id, "the reference"), kept_generators():
            return results_of(module, inputs)

    def structures(self) -> tuple[Structure, ...]:
        """What the own generator promises about each input."""
        return self._structures

    @cached_property
    def meaning(self) -> InputMeaning:
        """What the reference shows about integers, masks, labels and constants."""
        axes = self._running_axes()
        first, second = (self._own_draw(axes, seed) for seed in (_CHECK_SEED, _CHECK_SEED + 1))
        bound = self._checker(axes)
        state = self.draw_state(bound.module, _CHECK_SEED)
        return find_meaning(self.task.id, bound, OwnDraws(first, second, state))

    @cached_property
    def _structures(self) -> tuple[Structure, ...]:
        shown = structures(self._own_draw(self._showing_axes(), _CHECK_SEED))
        axes = self._running_axes()
        own = self._own_draw(axes, _CHECK_SEED)
        bound = self._checker(axes)
        state = self.draw_state(bound.module, _CHECK_SEED)
        return with_domains(shown, own, lambda inputs: has_answer(bound, inputs, state))

    def _running_axes(self) -> dict[str, int]:
        """Own axes, halved until a run is cheap: small inputs of a product make a huge result."""
        small = self._showing_axes(RUN_ELEMENTS)
        return small if self.footprint(small) is not None else self._showing_axes()

    def _showing_axes(self, elements: int = STRUCTURE_ELEMENTS) -> dict[str, int]:
        """Own axes, the largest halved until a draw is cheap."""
        axes = self.own_axes
        steps = {axis.name: axis for axis in self.axes}
        for _ in range(40):
            shapes = self.input_shapes(axes)
            if sum(torch.Size(s).numel() for s in shapes if s is not None) <= elements:
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
            module = self.construct(axes, _CHECK_SEED)
            self._checkers[key] = BoundReference(self.task.id, module)
        return self._checkers[key]

    def sizes(self, axes: Mapping[str, int]) -> dict[str, int]:
        """These axes as the integers of the source that they stand for, by site key."""
        own = self.own_axes
        told = {n: v for n, v in axes.items() if n in own and (v != own[n] or self._follows(n))}
        varied = {key: axes[n] for n, key in self._varied(axes).items()}
        return {**self.space.sizes(told), **varied}

    def _varied(self, axes: Mapping[str, int]) -> dict[str, str]:
        """Defaults of the constructor that these axes vary; most vary none."""
        if len(axes) <= len(self.axes):
            return {}
        return {n: key for n, key in self.default_variants.items() if axes.get(n)}

    def _follows(self, axis: str) -> bool:
        """Whether an axis would move with another one unless it is told its own value."""
        sites = [self._source.sites.get(key) for key in self.space.sites.get(axis, ())]
        return any(site is not None and bool(site.follows) for site in sites)

    def _module(self, axes: Mapping[str, int]) -> TaskModule:
        return self._source.module(self.sizes(axes))

    def _init_call(self, module: TaskModule) -> InitCall:
        with user_code(self.task.id, "get_init_inputs"):
            return module.init_call()


def _elements(shapes: Sequence[tuple[int, ...] | None]) -> list[int]:
    return [prod(shape) for shape in shapes if shape is not None]
