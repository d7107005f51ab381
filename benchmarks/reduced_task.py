"""ReducedTask: a task in smaller sizes, so that one processor judges it in seconds.

    smaller = reduced(task)   # smaller.task, smaller.axes, smaller.words

First the axes that the reference's shape space has, then numbers of the text: the batch, the sides
of images, and all widths divided by one factor, lists of layers and literals of classes included.

The rule: a reduction is kept only where the module was built with it and answered a call. What does
not run is left out, and fewer reductions are tried.
"""

from __future__ import annotations

import ast
import contextlib
import math
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch.utils.flop_counter import FlopCounterMode

from assay.data.axis import Axis
from assay.data.task import Task
from assay.errors import TaskError
from assay.tasks.references.reference import Reference
from assay.tasks.references.task_source import TaskSource, kept_generators, user_code
from assay.tasks.shapes.source_sizes import SIZES, SizeFinder

ELEMENTS = 1 << 13  # of all inputs together, where the sizes allow it
HEAVY_INPUTS = 1 << 16  # beyond one of these three the text is reduced, too
HEAVY_WEIGHTS = 1 << 18
HEAVY_PRODUCTS = 1 << 27  # about 10 ms of one core
FACTORS = (16, 8, 4, 2)
NARROW = (32, 16)  # numbers below are choices (kernels, depths, heads), not widths
SIDES = (16, 32, 64, 112, 128)
IMAGE_RANK = 4  # batch, channels, height, width
REDUCING_S = 20.0
WEIGHING_S = 10.0

Text = tuple[str, str]  # what was changed, in words, and the whole source with it


@dataclass(frozen=True)
class Weight:
    """What one call takes: elements of inputs, elements of the state, multiplications."""

    inputs: int
    state: int
    products: int

    @property
    def excess(self) -> float:
        """How far the heaviest of the three is beyond its limit; at most 1 where none is."""
        shares = (self.inputs / HEAVY_INPUTS, self.state / HEAVY_WEIGHTS)
        return max(*shares, self.products / HEAVY_PRODUCTS)


HEAVIEST = Weight(1 << 62, 1 << 62, 1 << 62)


@dataclass(frozen=True)
class ReducedTask:
    """The smaller task, the sizes of its axes, and what of its text was changed, in words."""

    task: Task
    axes: dict[str, int]
    words: tuple[str, ...] = ()


class OutOfTime(BaseException):
    """Not an Exception: code of a task cannot take it for a failure of its own."""


@contextlib.contextmanager
def time_limit(limit_s: float) -> Iterator[None]:
    """Ends what is inside after so much processor time: a loop of the task may wait for a size.

    Time in which others had the processor is not counted: a busy machine reduces as an idle one.
    """

    def end(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def reduced(task: Task) -> ReducedTask:
    """By its axes; where one call is still heavy by numbers of its text as well."""
    by_axes = in_time(task)
    now = weight(by_axes.task)
    if now.excess <= 1:
        return by_axes
    smaller = by_text(by_axes, now)
    return replace(in_time(smaller.task), words=smaller.words) if smaller.words else smaller


def in_time(task: Task) -> ReducedTask:
    """By its axes; as it is where that takes too long or does not run."""
    try:
        with time_limit(REDUCING_S):
            return reduced_axes(task)
    except (OutOfTime, TaskError):
        return ReducedTask(task, {})


def reduced_axes(task: Task) -> ReducedTask:
    """The task with smaller sizes, where they are names of its module."""
    reference = Reference(task)
    steps = {axis.name: axis for axis in reference.axes}
    axes = reference.own_axes
    open_ = set(axes)
    while open_ and elements(reference, axes) > ELEMENTS:
        largest = max(sorted(open_), key=lambda n: axes[n] / steps[n].multiple_of)
        alike = [name for name in axes if axes[name] == axes[largest]]
        tried = (halved(axes, names, steps) for names in ([largest], alike))
        smaller = (one for one in tried if one != axes and reference.footprint(one) is not None)
        found = next(smaller, None)
        if found is None:
            open_.remove(largest)  # others may still be reduced
        else:
            axes = found
    source = with_sizes(task.source, reference.sizes(axes))
    return ReducedTask(task.model_copy(update={"source": source}), axes)


def elements(reference: Reference, axes: Mapping[str, int]) -> int:
    """Of all inputs together."""
    return sum(math.prod(s) for s in reference.input_shapes(axes) if s is not None)


def halved(axes: dict[str, int], names: Sequence[str], steps: Mapping[str, Axis]) -> dict[str, int]:
    """These axes at half their size, or at their smallest."""
    found = dict(axes)
    for name in names:
        axis = steps[name]
        found[name] = max(axis.low, axes[name] // 2 // axis.multiple_of * axis.multiple_of)
    return found


def by_text(reduced_by_axes: ReducedTask, now: Weight) -> ReducedTask:
    """Each kind of number in turn, by the first value with which it runs and weighs less."""
    found = reduced_by_axes
    for kind in (_widths, _sides):
        while now.excess > 1 and (lighter := _lighter(found, kind(found.task), now)):
            found, now = lighter
    return found


def _lighter(
    now: ReducedTask, texts: Iterator[Text], weighed: Weight
) -> tuple[ReducedTask, Weight] | None:
    """The first of these texts that weighs less and answers."""
    for words, source in texts:
        task = now.task.model_copy(update={"source": source})
        smaller = weight(task)
        if smaller.excess < weighed.excess and answers(task):
            return ReducedTask(task, now.axes, (*now.words, words)), smaller
    return None


def weight(task: Task) -> Weight:
    """Of one call, by shapes alone where that works; HEAVIEST where it takes too long or fails."""
    for building, calling in (("meta", "meta"), ("cpu", "meta"), ("cpu", "cpu")):
        try:
            with time_limit(WEIGHING_S):
                return weight_on(task, building, calling)
        except TaskError:
            continue
        except OutOfTime:
            break
    return HEAVIEST


def weight_on(task: Task, building: str, calling: str) -> Weight:
    """The module is built on one device and called on another."""
    counted = FlopCounterMode(display=False)
    module = TaskSource(task).module({})
    with user_code(task.id, "a trial"), kept_generators(), torch.no_grad():
        with torch.device(calling):
            inputs = module.inputs(0)
        with torch.device(building):
            built = module.build(module.init_call()).to(calling)
        with torch.device(calling), counted:
            built(*inputs)
    elements = sum(value.numel() for value in inputs if isinstance(value, torch.Tensor))
    state = sum(value.numel() for value in built.state_dict().values())
    return Weight(elements, state, counted.get_total_flops() // 2)


def answers(task: Task) -> bool:
    """Whether the module is built and answers one call with finite numbers."""
    try:
        module = TaskSource(task).module({})
        code = user_code(task.id, "a trial")
        with time_limit(WEIGHING_S), code, kept_generators(), torch.no_grad():
            made = module.build(module.init_call())(*module.inputs(0))
    except (TaskError, OutOfTime):
        return False
    first = made[0] if isinstance(made, tuple | list) else made
    return not isinstance(first, torch.Tensor) or bool(first.isfinite().all())


def _sides(task: Task) -> Iterator[Text]:
    """Images of another side, wherever the text names that number."""
    for size in SIDES:
        for number in sorted(side for side in image_sides(task) if side > size):
            source = with_numbers(task.source, {number: size}.get)
            yield f"side {number} is {size}", source


def _widths(task: Task) -> Iterator[Text]:
    """Every number that a factor divides, but the sides of images, divided by it."""
    kept = image_sides(task)
    for factor in FACTORS:
        for least in NARROW:
            yield (
                f"widths divided by {factor}",
                with_numbers(task.source, _divided(factor, least, kept)),
            )


def _divided(factor: int, least: int, kept: set[int]) -> Callable[[int], int | None]:
    def of(value: int) -> int | None:
        divides = value >= least and value % factor == 0 and value not in kept
        return value // factor if divides else None

    return of


def image_sides(task: Task) -> set[int]:
    """The last two sizes of inputs that are batches of images."""
    module = TaskSource(task).module({})
    with user_code(task.id, "get_inputs"), kept_generators(), torch.device("meta"):
        shapes = [tuple(v.shape) for v in module.inputs(0) if isinstance(v, torch.Tensor)]
    return {side for shape in shapes if len(shape) == IMAGE_RANK for side in shape[-2:]}


def with_numbers(source: str, other: Callable[[int], int | None]) -> str:
    """The text with another value for each integer literal for which `other` has one."""
    nodes = list(ast.walk(ast.parse(source)))
    counts = {node.right for node in nodes if isinstance(node, ast.BinOp) and _repeats(node)}
    found = [n for n in nodes if isinstance(n, ast.Constant) and n not in counts]
    numbers = [(node, other(node.value)) for node in found if type(node.value) is int]
    return _written(source, [(node, value) for node, value in numbers if value is not None])


def _repeats(node: ast.BinOp) -> bool:
    """`[1024] * 16`: the second number is how many there are."""
    return isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List | ast.Tuple)


def with_sizes(source: str, sizes: Mapping[str, int]) -> str:
    """The text with other values for the sites of these keys; what derives from them follows."""
    tree = ast.parse(source)
    SizeFinder(tree)
    found = [(node, key) for node in ast.walk(tree) for key in _keys(node) if key in sizes]
    return _written(source, [(node, sizes[key]) for node, key in found])


def _keys(node: ast.AST) -> Iterator[str]:
    """The key of the site that a look-up stands for: `sizes[key]`, or `sizes.get(key, name)`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
            if name == SIZES:
                yield key
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="get"),
            args=[ast.Constant(value=str(key)), *_],
        ):
            if name == SIZES:
                yield key


def _written(source: str, numbers: Sequence[tuple[ast.expr, int]]) -> str:
    """The text with numbers in the places of expressions of one line."""
    lines = source.encode().splitlines(keepends=True)
    places = {(n.lineno, n.col_offset, n.end_col_offset): value for n, value in numbers}
    for (number, begin, end), value in sorted(places.items(), reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:begin] + str(value).encode() + line[end:]
    return b"".join(lines).decode()
