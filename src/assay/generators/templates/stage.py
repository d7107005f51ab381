"""Stage: one kernel of a candidate: loops, what is folded in them, what is stored.

    ElementStage    every element for itself
    RowStage        folds over columns for each row, then elements or rows
    ProductStage    a product of matrices, and what is made of each element of it

The rule: a stage says what is computed for each index. How it is cut into blocks, threads and
vectors is the template's text and its parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.generators.templates.graph.expression import ElementExpression
from assay.generators.templates.graph.symbolic_size import Size


@dataclass(frozen=True)
class Loop:
    """A variable and how many values it has."""

    variable: Any
    size: Size


@dataclass(frozen=True)
class Store:
    """An element that is written."""

    buffer: str
    offset: Size
    value: ElementExpression


@dataclass(frozen=True)
class Fold:
    """A fold over the columns of a row. Those of a lower level are known when it begins."""

    name: str
    fold: str
    dtype: str
    body: ElementExpression
    level: int


@dataclass(frozen=True)
class ElementStage:
    """Every element for itself."""

    loops: tuple[Loop, ...]
    stores: tuple[Store, ...]


@dataclass(frozen=True)
class RowStage:
    """Folds over the columns of each row, and what is made of them."""

    rows: tuple[Loop, ...]
    columns: tuple[Loop, ...]
    folds: tuple[Fold, ...]
    row_stores: tuple[Store, ...]
    stores: tuple[Store, ...]  # one for each column too


@dataclass(frozen=True)
class ProductStage:
    """The sum over k of left times right for each m and n, under the name `total`."""

    batch: tuple[Loop, ...]
    m: Loop
    n: Loop
    k: Loop
    left: ElementExpression
    right: ElementExpression
    narrow: str  # dtype of both factors in memory: what a matrix unit is given
    total: str
    stores: tuple[Store, ...]


Stage = ElementStage | RowStage | ProductStage


@dataclass(frozen=True)
class StageBuffer:
    """Memory that a candidate allocates."""

    name: str
    shape: tuple[Size, ...]
    dtype: str


def expressions_of(stage: Stage) -> list[ElementExpression]:
    """Everything that a stage computes."""
    match stage:
        case ElementStage():
            return [one.value for one in stage.stores]
        case RowStage():
            stored = [one.value for one in (*stage.row_stores, *stage.stores)]
            return [*(one.body for one in stage.folds), *stored]
        case ProductStage():
            return [stage.left, stage.right, *(one.value for one in stage.stores)]


def stores_of(stage: Stage) -> tuple[Store, ...]:
    """Everything that a stage writes."""
    if isinstance(stage, RowStage):
        return (*stage.row_stores, *stage.stores)
    return stage.stores
