"""CandidateCall: what a candidate of a task is given and returns, by name, dtype and shape.

The rule: the reference runs where tensors have no values, at sizes that differ from axis to axis
where it can, so that an output's sizes can be told from what the candidate is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from assay.data.axis import AxisRole
from assay.data.task import Task
from assay.data.workload import Direction
from assay.errors import TaskError
from assay.python_tree import module_tree
from assay.tasks.drawn_inputs import GRADIENTS, argument_names
from assay.tasks.references.reference import Reference
from assay.tasks.references.valueless import Unvalued

_PRIMES = (7, 11, 13, 17, 19, 23, 29, 31)


@dataclass(frozen=True)
class CallTensor:
    """A tensor of the call: the expression in `forward`, a name for a kernel, dtype and shape."""

    expression: str
    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class CallOutput:
    """An output: its dtype, and Python for its shape."""

    name: str
    dtype: str
    shape: str


@dataclass(frozen=True)
class CandidateCall:
    """Arguments of `forward` by name; the tensors among them, of the state, and the outputs."""

    arguments: tuple[str, ...]
    given: tuple[CallTensor, ...]
    state: tuple[CallTensor, ...]
    outputs: tuple[CallOutput, ...]

    @property
    def dtypes(self) -> frozenset[str]:
        """Every dtype of the call."""
        read = {one.dtype for one in (*self.given, *self.state)}
        return frozenset(read | {one.dtype for one in self.outputs})

    @classmethod
    def of(cls, task: Task) -> CandidateCall:
        """Trace the task; TaskError where that is impossible."""
        try:
            return cls._traced(task, _different_sizes(task))
        except TaskError:  # some sizes have to be alike, or to fit each other
            return cls._traced(task, {})

    @classmethod
    def _traced(cls, task: Task, sizes: Mapping[str, int]) -> CandidateCall:
        with FakeTensorMode(allow_non_fake_inputs=True):
            made = Unvalued.made(task, sizes)
            returned = made.call()
            arguments = _arguments(task, len(made.inputs))
            given = [
                _tensor(name, value)
                for name, value in zip(arguments, made.inputs, strict=True)
                if isinstance(value, torch.Tensor)
            ]
            named = [*made.module.named_parameters(), *made.module.named_buffers()]
            state = [_tensor(f"self.{name}", value) for name, value in named]
        known = [*given, *state]
        outputs = tuple(
            CallOutput(f"out{number}", _dtype(one), shape_text(tuple(one.shape), known))
            for number, one in enumerate(returned)
        )
        return cls(tuple(arguments), tuple(given), tuple(state), outputs)


def _different_sizes(task: Task) -> dict[str, int]:
    """What the source calls its sizes, each with another value; its own where that cannot be."""
    reference = Reference(task)
    axes = dict(reference.own_axes)
    for axis, prime in zip(reference.axes, _PRIMES, strict=False):
        size = axis.multiple_of * prime
        if axis.role is not AxisRole.CONSTANT and axis.low <= size <= axis.high:
            axes[axis.name] = size
    return dict(reference.sizes(axes))


def _arguments(task: Task, count: int) -> list[str]:
    names = argument_names(module_tree(task.source))
    if task.direction is Direction.BACKWARD:
        names = names[: count - 1]
    singular = GRADIENTS.removesuffix("s")
    return [*names, *(f"{singular}{number}" for number in range(count - len(names)))][:count]


def _tensor(expression: str, value: torch.Tensor) -> CallTensor:
    name = expression.removeprefix("self.").replace(".", "_")
    return CallTensor(expression, name, _dtype(value), tuple(value.shape))


def _dtype(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def shape_text(shape: tuple[int, ...], known: Sequence[CallTensor]) -> str:
    """Python for a shape: another tensor's, or size by size, or a number where none is equal."""
    for tensor in known:
        if tensor.shape == shape:
            return f"{tensor.expression}.shape"
    sizes = [_size_text(size, place, len(shape), known) for place, size in enumerate(shape)]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def _size_text(size: int, place: int, dims: int, known: Sequence[CallTensor]) -> str:
    """The same place of a tensor with as many dimensions comes first, then any other."""
    alike = [t for t in known if len(t.shape) == dims and t.shape[place] == size]
    if alike:
        return f"{alike[0].expression}.shape[{place}]"
    for tensor in known:
        if size in tensor.shape:
            return f"{tensor.expression}.shape[{tensor.shape.index(size)}]"
    return str(size)
