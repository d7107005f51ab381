"""Composer: compositions by seed, none twice.

The rule: the same seed gives the same sequence on every machine. A composition has two steps at
least, so that it is no task of the suite, and each of its steps was tried on sampled rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from assay.tasks.synthesis.chain_operators import PAIRWISE, POINTWISE, REDUCTIONS, ROW_MAPS
from assay.tasks.synthesis.composition import Composition
from assay.tasks.synthesis.sampled_rows import SampledRows

SIZES = {
    "batch": (2, 3, 4, 8),
    "rows": (64, 100, 128, 200, 256, 384),
    "cols": (256, 257, 500, 512, 768, 1000, 1024, 2048),
    "inner": (48, 64, 96, 128, 200, 256),
}
DTYPES = ("float32", "float32", "float32", "float16", "bfloat16")


class Head(StrEnum):
    """What a chain begins with."""

    ELEMENTS = "elements"  # of a matrix
    BATCHED = "batched"  # of a batch of matrices
    MATMUL = "matmul"
    BMM = "bmm"
    LINEAR = "linear"


def compositions(seed: int) -> Iterator[Composition]:
    """Without end, in order; numbers count those that were found usable."""
    source = random.Random(f"assay synthesis {seed}")
    seen: set[str] = set()
    number = 0
    while True:
        made = _drawn(source, seed, number + 1)
        if made is not None and made.chain not in seen:
            seen.add(made.chain)
            number += 1
            yield made


@dataclass
class _Draft:
    """A chain while it grows."""

    source: random.Random
    value: SampledRows
    dims: tuple[str, ...]  # of the value so far
    inputs: dict[str, str]
    steps: list[str] = field(default_factory=list)
    natives: list[str] = field(default_factory=list)
    layer: str = ""

    def pointwise(self) -> bool:
        """Append one function; False where it is refused."""
        step = self.source.choice(POINTWISE)
        return self._put(self.value.pointwise(step), step.text, step.native)

    def pairwise(self) -> bool:
        """Append a function of the value and of another input."""
        step = self.source.choice(PAIRWISE)
        name = f"y{len(self.inputs)}"
        dims = self.source.choice((self.dims, self.dims[-1:]))
        other = SampledRows.drawn(len(self.inputs))
        if not self._put(self.value.pairwise(step, other), step.text, step.native, y=name):
            return False
        self.inputs[name] = f"torch.randn({_shape(dims)})"
        return True

    def mapped(self) -> bool:
        """Append a function of whole rows."""
        step = self.source.choice(ROW_MAPS)
        return self._put(self.value.mapped(step), step.text, step.native)

    def reduced(self) -> bool:
        """End the rows in one number each."""
        step = self.source.choice(REDUCTIONS)
        if not self._put(self.value.reduced(step), step.text, step.native):
            return False
        self.dims = self.dims[:-1]
        return True

    def _put(self, made: SampledRows | None, text: str, native: str, y: str = "") -> bool:
        if made is None or native in self.natives:
            return False
        self.value = made
        self.steps.append(text.format(x="x", y=y))
        self.natives.append(native)
        return True


def _shape(dims: tuple[str, ...]) -> str:
    return ", ".join(dims)


def _drawn(source: random.Random, seed: int, number: int) -> Composition | None:
    """One draw; None where a step of it is refused."""
    draft = _headed(source, source.choice(list(Head)))
    plan: list[Callable[[_Draft], bool]] = [_Draft.pointwise] * source.randint(1, 2)
    if source.random() < 0.5:
        plan.insert(source.randint(0, len(plan)), _Draft.pairwise)
    plan += source.choice(([], [], [_Draft.mapped], [_Draft.mapped, _Draft.pointwise]))
    plan += source.choice(([], [_Draft.reduced], [_Draft.reduced, _Draft.pointwise]))
    if not all(step(draft) for step in plan) or len(draft.steps) < 2:
        return None
    dtype = "float32" if draft.layer else source.choice(DTYPES)
    used = " ".join([*draft.inputs.values(), draft.layer])
    sizes = {name: source.choice(among) for name, among in SIZES.items() if name in used}
    steps, natives = tuple(draft.steps), tuple(draft.natives)
    return Composition(seed, number, dtype, sizes, draft.inputs, steps, natives, draft.layer)


def _headed(source: random.Random, head: Head) -> _Draft:
    """A draft with its first input, and the product it begins with."""
    batch = ("batch",) if head in (Head.BATCHED, Head.BMM) else ()
    dims = (*batch, "rows", "cols")
    draft = _Draft(source, SampledRows.drawn(0), dims, {"x": f"torch.randn({_shape(dims)})"})
    if head in (Head.ELEMENTS, Head.BATCHED):
        return draft
    given = _shape((*batch, "rows", "inner"))
    draft.inputs["x"] = f"torch.randn({given})"
    draft.natives.append(head.value)
    if head is Head.LINEAR:
        draft.layer = "torch.nn.Linear(inner, cols)"
        draft.steps.append("self.layer(x)")
        return draft
    weight = _shape((*batch, "inner", "cols"))
    draft.inputs["weight"] = f"torch.randn({weight}) / inner**0.5"
    draft.steps.append(f"torch.{head.value}(x, weight)")
    return draft
