"""CutTask: a region of a model as a task of its own, in KernelBench format.

Everything that the region is handed, weights included, is an input of `forward`, so that a kernel
for it has no state and can stand in every place at which the model has this region.

The rule: sizes are named, and drawn values are like those seen in the model: a variance stays
positive, indices stay inside their table, small weights stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.workbench.models.graph.region import KernelRegion
from assay.workbench.models.graph.traced_model import TracedModel, ValueRange
from assay.workbench.models.profile_rows import TensorForm

_SMALL = 8  # a weight's size below this is no axis: the window of a convolution
_USUAL = (0.5, 2.0)  # a spread that needs no factor


@dataclass(frozen=True)
class DrawnForm:
    """One input: its form, the values seen, and whether it is a weight."""

    form: TensorForm
    values: ValueRange | None
    weight: bool


def task_text(region: KernelRegion, traced: TracedModel, title: str) -> str:
    """The task's file. What cannot be written is a ValueError that says why."""
    lines, result = region.lines()
    drawn = [
        DrawnForm(form, traced.ranges.get(node.name), node.op == "get_attr")
        for node, form in zip(region.inputs, region.forms(traced), strict=True)
    ]
    sizes = _sizes(drawn)
    names = ", ".join(f"in{place}" for place in range(len(drawn)))
    body = "\n".join(f"        {line}" for line in lines)
    draws = "\n".join(f"        {_draw(one, sizes)}," for one in drawn)
    gaps = [f"in{place}" for place, one in enumerate(drawn) if not _is_dense(one.form)]
    if gaps:
        title += f"\n\nIn the model {', '.join(gaps)} are views with gaps; here they have none.\n"
    named = "\n".join(f"{name} = {size}" for size, name in sizes.items())
    imports = "import math\n\n" if "math." in body else ""
    return (
        f'"""{title}"""\n\n{imports}import torch\n\n{named}\n\n\n'
        f"class Model(torch.nn.Module):\n"
        f'    """{region.short_label}."""\n\n'
        f"    def forward(self, {names}):\n{body}\n        return {result}\n\n\n"
        f"def get_inputs():\n    return [\n{draws}\n    ]\n\n\n"
        f"def get_init_inputs():\n    return []\n"
    )


def _sizes(drawn: Sequence[DrawnForm]) -> dict[int, str]:
    found: dict[int, str] = {}
    for one in drawn:
        for size in one.form.shape:
            if size > 1 and not (one.weight and size < _SMALL) and size not in found:
                found[size] = f"d{len(found)}"
    return found


def _draw(one: DrawnForm, sizes: dict[int, str]) -> str:
    """The expression that draws it, in the memory order in which it was seen."""
    form = one.form
    order = _memory_order(form)
    stored = [form.shape[axis] for axis in order]
    shown = [_size(size, one.weight, sizes) for size in stored]
    made = _values(one, shown)
    if order == sorted(order) or not _is_dense(form):
        return made if order == sorted(order) else _values(one, _plain_sizes(one, sizes))
    back = [order.index(axis) for axis in range(len(order))]
    made = f"({made})" if " * " in made or " + " in made else made
    return f"{made}.permute({', '.join(map(str, back))})"


def _plain_sizes(one: DrawnForm, sizes: dict[int, str]) -> list[str]:
    return [_size(size, one.weight, sizes) for size in one.form.shape]


def _size(size: int, weight: bool, sizes: dict[int, str]) -> str:
    return str(size) if size <= 1 or (weight and size < _SMALL) else sizes[size]


def _memory_order(form: TensorForm) -> list[int]:
    """The axes, that of the largest stride first."""
    return sorted(range(len(form.shape)), key=lambda axis: -form.strides[axis])


def _is_dense(form: TensorForm) -> bool:
    """Whether the elements lie side by side in some order of the axes."""
    expected = 1
    for axis in reversed(_memory_order(form)):
        if form.shape[axis] > 1 and form.strides[axis] != expected:
            return False
        expected *= form.shape[axis]
    return True


def _values(one: DrawnForm, shown: Sequence[str]) -> str:
    dtype, seen = one.form.dtype, one.values
    shape = ", ".join(shown)
    if dtype == "bool":
        return f"torch.rand({shape or '()'}) < 0.5"
    if not dtype.startswith(("float", "bfloat", "complex")):
        most = int(seen.most) if seen is not None else 1
        tupled = f"({shape},)" if len(shown) == 1 else f"({shape})"
        return f"torch.randint(0, {max(1, most) + 1}, {tupled}, dtype=torch.{dtype})"
    kind = "" if dtype == "float32" else f", dtype=torch.{dtype}"
    shape = shape or "()"
    if seen is not None and seen.least > 0:
        return f"torch.rand({shape}{kind}) + 0.5"
    if seen is None or seen.spread == 0 or _USUAL[0] <= seen.spread <= _USUAL[1]:
        return f"torch.randn({shape}{kind})"
    return f"{seen.spread:.2g} * torch.randn({shape}{kind})"
