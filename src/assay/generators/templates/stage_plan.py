"""StagePlan: the values of a graph cut into stages, in the order in which they must run.

The rule: what is computed for one element is computed inside the stage that stores it. A fold is
done in the stage that needs it where rows and columns agree, and has a stage of its own elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.generators.templates.graph.expression import ElementExpression, Folded, Reduced, every
from assay.generators.templates.graph.graph_lowering import LoweredGraph
from assay.generators.templates.graph.symbolic_size import linear, product
from assay.generators.templates.graph.tensor_value import (
    Index,
    Lowering,
    Product,
    Reduction,
    TensorValue,
)
from assay.generators.templates.stage import (
    ElementStage,
    Fold,
    Loop,
    ProductStage,
    RowStage,
    Stage,
    StageBuffer,
    Store,
)

MOST_STAGES = 24


@dataclass(frozen=True)
class Written:
    """A value that is to be stored, at the variables of its stage."""

    buffer: str
    value: ElementExpression


@dataclass
class StagePlan:
    """Stages and the buffers between them."""

    lowering: Lowering
    buffers: dict[str, StageBuffer] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    updated: list[tuple[str, str]] = field(default_factory=list)  # input, buffer copied into it
    _stored: dict[int, TensorValue] = field(default_factory=dict)  # by id of what was stored
    _kept: list[Any] = field(default_factory=list)  # so that an id is never used again

    def buffer(self, shape: Index, dtype: str) -> str:
        """A new one."""
        name = f"b{len(self.buffers)}"
        self.buffers[name] = StageBuffer(name, shape, dtype)
        return name

    def write(self, values: Sequence[tuple[str, TensorValue]]) -> None:
        """Stages for values; those of one shape share them."""
        left = list(values)
        while left:
            shape = left[0][1].shape
            same = [one for one in left if one[1].shape == shape]
            left = [one for one in left if one[1].shape != shape]
            shape, variables, found = self._natural(shape, [one for _, one in same])
            names = [name for name, _ in same]
            written = [Written(name, one) for name, one in zip(names, found, strict=True)]
            self._place(shape, variables, written)

    def _natural(
        self, shape: Index, values: list[TensorValue]
    ) -> tuple[Index, Index, list[ElementExpression]]:
        """The shape in which folds are read at plain indices; the order in memory is the same."""
        variables = self.lowering.variables(shape)
        found = [one.element(variables) for one in values]
        for one in _deciding(found):
            if set(one.index) <= set(variables):
                continue
            made = one.reduction
            for other in (made.kept, (*made.kept, *made.reduced)):
                if product(other) != product(shape):
                    continue
                places = self.lowering.variables(other)
                moved = [self.lowering.reshaped(v, other).element(places) for v in values]
                if all(set(r.index) <= set(places) for r in _deciding(moved)):
                    return other, places, moved
        return shape, variables, found

    def _place(self, shape: Index, variables: Index, written: list[Written]) -> None:
        if len(self.stages) > MOST_STAGES:
            raise ValueError(f"the task needs more than {MOST_STAGES} kernels")
        products = _references([one.value for one in written], Product)
        direct = [one for one in products if one.index == variables and len(shape) > 1]
        if len({id(one.reduction) for one in products}) == 1 and direct == products:
            self._place_product(shape, variables, written, direct[0])
            return
        written = [Written(one.buffer, self._with_stored(one.value, products)) for one in written]
        rows = _RowGroup.found(self, shape, variables, written)
        if rows is not None:
            self.stages.append(rows.stage(shape, written))
            return
        others = _references([one.value for one in written], Reduction)
        stores = tuple(
            Store(one.buffer, linear(variables, shape), self._with_stored(one.value, others))
            for one in written
        )
        self.stages.append(ElementStage(_loops(variables, shape), stores))

    def _place_product(
        self, shape: Index, variables: Index, written: list[Written], reference: Reduced
    ) -> None:
        made: Product = reference.reduction
        left, right = self._operand(made.left), self._operand(made.right)
        (k,) = self.lowering.variables(made.reduced, "k")
        *batch, m, n = variables
        ops = self.lowering.expressions
        total = ops.made(Folded, made.dtype, "total")
        stores = []
        for one in written:
            value = ops.mapped(one.value, lambda part: total if part is reference else None)
            others = _references([value], Reduction)
            stores.append(
                Store(one.buffer, linear(variables, shape), self._with_stored(value, others))
            )
        loops = _loops(variables, shape)
        narrow = left.dtype if left.dtype == right.dtype else made.dtype
        self.stages.append(
            ProductStage(
                batch=loops[:-2],
                m=loops[-2],
                n=loops[-1],
                k=Loop(k, made.reduced[0]),
                left=ops.cast(left.element((*batch, m, k)), made.dtype),
                right=ops.cast(right.element((*batch, k, n)), made.dtype),
                narrow=narrow,
                total="total",
                stores=tuple(stores),
            )
        )

    def _operand(self, value: TensorValue) -> TensorValue:
        """A factor as it is, or stored where it holds a fold."""
        variables = self.lowering.variables(value.shape)
        if not _references([value.element(variables)], Reduction):
            return value
        return self.stored(value, value.element)

    def stored(self, value: TensorValue, key: Any) -> TensorValue:
        """A value as memory: it is stored once, by its key."""
        if id(key) not in self._stored:
            self._kept.append(key)
            name = self.buffer(value.shape, value.dtype)
            self.write([(name, value)])
            self._stored[id(key)] = self.lowering.loaded(name, value.shape, value.dtype)
        return self._stored[id(key)]

    def stored_fold(self, reduction: Reduction) -> TensorValue:
        """The result of a fold as memory."""
        ops = self.lowering.expressions
        value = TensorValue(
            reduction.kept,
            reduction.dtype,
            lambda index: ops.made(Reduced, reduction.dtype, reduction, tuple(index)),
        )
        return self.stored(value, reduction)

    def _with_stored(
        self, value: ElementExpression, references: Sequence[Reduced]
    ) -> ElementExpression:
        """With results of folds that are read from memory."""
        known = {id(one): self.stored_fold(one.reduction).element(one.index) for one in references}
        return self.lowering.expressions.mapped(value, lambda part: known.get(id(part)))


@dataclass
class _RowGroup:
    """The folds of one stage: they share rows and columns."""

    plan: StagePlan
    variables: Index  # of what is stored
    rows: Index
    columns: Index
    sizes: Index  # of the columns
    folds: dict[int, Fold] = field(default_factory=dict)
    whole: bool = True  # the columns are those of what is stored

    @classmethod
    def found(
        cls, plan: StagePlan, shape: Index, variables: Index, written: list[Written]
    ) -> _RowGroup | None:
        """The group of the first fold that fits what is stored."""
        for one in _references([one.value for one in written], Reduction):
            if not all(index in variables for index in one.index) or _repeats(one.index):
                continue
            rest = [place for place, name in enumerate(variables) if name not in one.index]
            sizes = tuple(shape[place] for place in rest)
            if not rest:
                columns = plan.lowering.variables(one.reduction.reduced, "j")
                return cls(plan, variables, one.index, columns, one.reduction.reduced, whole=False)
            if sizes == one.reduction.reduced:
                columns = tuple(variables[p] for p in rest)
                return cls(plan, variables, one.index, columns, sizes)
        return None

    def stage(self, shape: Index, written: list[Written]) -> RowStage:
        """The stage that folds and stores."""
        ranges = self.plan.lowering.ranges
        values = [self._resolved(one.value) for one in written]
        place = linear(self.variables, shape)
        stores = tuple(
            Store(one.buffer, place, value) for one, value in zip(written, values, strict=True)
        )
        folds = tuple(sorted(self.folds.values(), key=lambda one: one.level))
        return RowStage(
            rows=tuple(Loop(one, ranges[one]) for one in self.rows),
            columns=tuple(
                Loop(one, size) for one, size in zip(self.columns, self.sizes, strict=True)
            ),
            folds=folds,
            row_stores=() if self.whole else stores,
            stores=stores if self.whole else (),
        )

    def _resolved(self, value: ElementExpression) -> ElementExpression:
        """With folds of this group by name, and others from memory."""
        known: dict[int, ElementExpression] = {}
        for one in _references([value], Reduction):
            if self._fits(one):
                fold = self._fold(one)
                made = self.plan.lowering.expressions.made(Folded, fold.dtype, fold.name)
                known[id(one)] = made
            else:
                known[id(one)] = self.plan.stored_fold(one.reduction).element(one.index)
        return self.plan.lowering.expressions.mapped(value, lambda part: known.get(id(part)))

    def _fits(self, one: Reduced) -> bool:
        made = one.reduction
        if isinstance(made, Product):
            return False
        return one.index == self.rows and made.reduced == self.sizes

    def _fold(self, one: Reduced) -> Fold:
        made: Reduction = one.reduction
        if id(made) not in self.folds:
            body = made.body(one.index, self.columns)
            body = self._resolved(self._with_stored_body(body, made))
            used = [part.name for part in every([body]) if isinstance(part, Folded)]
            levels = [fold.level for fold in self.folds.values() if fold.name in used]
            name = f"f{len(self.folds)}"
            level = max(levels, default=-1) + 1
            self.folds[id(made)] = Fold(name, made.fold, made.dtype, body, level)
        return self.folds[id(made)]

    def _with_stored_body(self, body: ElementExpression, made: Reduction) -> ElementExpression:
        """What is folded is stored first where it is itself made of folds at the same index."""
        inner = [one for one in _references([body], Reduction) if not self._fits(one)]
        everything = {*self.rows, *self.columns}
        same = [one for one in inner if everything <= one.own_symbols()]
        if len(same) < 2 or any(isinstance(one.reduction, Product) for one in same):
            return body  # one fold alone is stored as it is
        kept = len(made.kept)
        shape = (*made.kept, *made.reduced)
        value = TensorValue(shape, made.dtype, lambda at: made.body(at[:kept], at[kept:]))
        return self.plan.stored(value, made.body).element((*self.rows, *self.columns))


def planned(graph: LoweredGraph) -> StagePlan:
    """Stages for all outputs of a graph."""
    plan = StagePlan(graph.lowering)
    values = []
    for one in graph.outputs:
        name = plan.buffer(one.shape, one.dtype)
        plan.outputs.append(name)
        values.append((name, one))
    for given, one in graph.updated:
        name = plan.buffer(one.shape, one.dtype)
        plan.updated.append((given, name))
        values.append((name, one))
    plan.write(values)
    return plan


def _references(values: Sequence[ElementExpression], kind: type[Reduction]) -> list[Reduced]:
    return [
        one for one in every(values) if isinstance(one, Reduced) and isinstance(one.reduction, kind)
    ]


def _deciding(values: Sequence[ElementExpression]) -> list[Reduced]:
    """The folds that a stage is shaped by: products only where there is nothing else."""
    found = _references(values, Reduction)
    return [one for one in found if not isinstance(one.reduction, Product)] or found


def _repeats(index: Index) -> bool:
    return len(set(index)) != len(index)


def _loops(variables: Index, shape: Index) -> tuple[Loop, ...]:
    return tuple(Loop(one, size) for one, size in zip(variables, shape, strict=True))
