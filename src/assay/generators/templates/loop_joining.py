"""LoopJoining: loops over dimensions that lie behind one another in all memory become one.

The rule: two loops are joined only where every place that is read, written or used as a number
moves by the inner loop's whole length when the outer one moves by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy

from assay.generators.templates.graph.expression import (
    ElementExpression,
    ElementLoad,
    IndexValue,
    every,
)
from assay.generators.templates.graph.symbolic_size import Size
from assay.generators.templates.graph.tensor_value import Lowering
from assay.generators.templates.stage import (
    ElementStage,
    Fold,
    Loop,
    RowStage,
    Stage,
    Store,
    expressions_of,
    stores_of,
)


def joined(lowering: Lowering, stage: Stage) -> Stage:
    """The stage with as few loops as it can have."""
    match stage:
        case ElementStage():
            loops, places = _joined_loops(lowering, stage, stage.loops)
            return replace(stage, loops=loops, stores=_moved(lowering, stage.stores, places))
        case RowStage():
            columns, places = _joined_loops(lowering, stage, stage.columns)
            moved = _moved_rows(lowering, replace(stage, columns=columns), places)
            rows, places = _joined_loops(lowering, moved, moved.rows)
            return _moved_rows(lowering, replace(moved, rows=rows), places)
    return stage


def _joined_loops(
    lowering: Lowering, stage: Stage, loops: Sequence[Loop]
) -> tuple[tuple[Loop, ...], dict[Any, Size]]:
    """Fewer loops, and what becomes of the variables of the old ones."""
    zero: Size = sympy.Integer(0)
    places: dict[Any, Size] = {one.variable: zero for one in loops if one.size == 1}
    found = [one for one in loops if one.size != 1]
    used = _places(stage)
    done: list[Loop] = []
    while found:
        inner = found.pop()
        if done and _behind(inner, done[0], used):
            size = sympy.expand(inner.size * done[0].size)
            (fresh,) = lowering.variables((size,), str(inner.variable)[0])
            joined_places = {inner.variable: zero, done[0].variable: fresh}
            used = [sympy.expand(one.subs(joined_places, simultaneous=True)) for one in used]
            places = {name: one.subs(joined_places) for name, one in places.items()}
            places |= joined_places
            done[0] = Loop(fresh, size)
        else:
            done.insert(0, inner)
    return tuple(done), places


def _behind(outer: Loop, inner: Loop, places: Sequence[Size]) -> bool:
    for one in places:
        first, second = step_of(one, outer.variable), step_of(one, inner.variable)
        if first is None or second is None:
            return False
        if sympy.expand(first - second * inner.size) != 0:
            return False
    return True


def step_of(place: Size, variable: Any) -> Size | None:
    """How far a place moves with a variable; None where that is no fixed step."""
    step = place.coeff(variable, 1)
    rest = sympy.expand(place - step * variable)
    return None if rest.has(variable) else step


def _places(stage: Stage) -> list[Size]:
    found = [one.offset for one in stores_of(stage)]
    for one in every(expressions_of(stage)):
        if isinstance(one, ElementLoad):
            found.append(one.offset)
        elif isinstance(one, IndexValue):
            found.append(one.index)
    return [sympy.expand(one) for one in found]


def _moved(
    lowering: Lowering, stores: Sequence[Store], places: dict[Any, Size]
) -> tuple[Store, ...]:
    return tuple(
        Store(
            one.buffer,
            sympy.expand(one.offset.subs(places, simultaneous=True)),
            _value(lowering, one.value, places),
        )
        for one in stores
    )


def _moved_rows(lowering: Lowering, stage: RowStage, places: dict[Any, Size]) -> RowStage:
    folds = tuple(
        Fold(one.name, one.fold, one.dtype, _value(lowering, one.body, places), one.level)
        for one in stage.folds
    )
    return replace(
        stage,
        folds=folds,
        row_stores=_moved(lowering, stage.row_stores, places),
        stores=_moved(lowering, stage.stores, places),
    )


def _value(
    lowering: Lowering, value: ElementExpression, places: dict[Any, Size]
) -> ElementExpression:
    return lowering.expressions.substituted(value, places) if places else value
