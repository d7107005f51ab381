"""ElementExpression: what one element of a tensor is, as a tree over loads, numbers and indices.

The rule: equal expressions are one object, so that nothing is computed twice in one scope. An
expression says what is computed, never how: blocks, threads and order are a stage's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy

from assay.generators.templates.graph.symbolic_size import Size

WIDE = {"float16": "float32", "bfloat16": "float32", "bool": "bool"}
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


def computed_in(dtype: str) -> str:
    """Narrow floats are computed in float32."""
    return WIDE.get(dtype, dtype)


@dataclass(eq=False)
class ElementExpression:
    """A node of the tree. Equal ones are identical: see `Expressions`."""

    dtype: str  # that it is computed in

    @property
    def parts(self) -> tuple[ElementExpression, ...]:
        """What it is computed from."""
        return ()

    @cached_property
    def symbols(self) -> frozenset[Any]:
        """Loop variables and sizes that it depends on."""
        found: set[Any] = set()
        for one in self.parts:
            found |= one.symbols
        return frozenset(found | self.own_symbols())

    def own_symbols(self) -> set[Any]:
        """Those that it names itself."""
        return set()


@dataclass(eq=False)
class ElementLoad(ElementExpression):
    """An element of a buffer. Indices that are computed stand in `computed` by their symbol."""

    buffer: str
    offset: Size
    computed: tuple[tuple[Any, ElementExpression], ...] = ()

    @property
    def parts(self) -> tuple[ElementExpression, ...]:
        """What it is computed from."""
        return tuple(value for _, value in self.computed)

    def own_symbols(self) -> set[Any]:
        """Those that it names itself."""
        return set(self.offset.free_symbols) - {name for name, _ in self.computed}


@dataclass(eq=False)
class Number(ElementExpression):
    """A number that is known."""

    value: float | int | bool


@dataclass(eq=False)
class IndexValue(ElementExpression):
    """An index or a size as a number."""

    index: Size
    computed: tuple[tuple[Any, ElementExpression], ...] = ()

    @property
    def parts(self) -> tuple[ElementExpression, ...]:
        """What it is computed from."""
        return tuple(value for _, value in self.computed)

    def own_symbols(self) -> set[Any]:
        """Those that it names itself."""
        return set(self.index.free_symbols) - {name for name, _ in self.computed}


@dataclass(eq=False)
class ElementOperation(ElementExpression):
    """A function of other expressions, by its name in the tables of the targets."""

    name: str
    arguments: tuple[ElementExpression, ...]

    @property
    def parts(self) -> tuple[ElementExpression, ...]:
        """What it is computed from."""
        return self.arguments


@dataclass(eq=False)
class Masked(ElementExpression):
    """A value that may be loaded only where the condition holds; elsewhere it is `other`."""

    condition: ElementExpression
    value: ElementExpression
    other: ElementExpression

    @property
    def parts(self) -> tuple[ElementExpression, ...]:
        """What it is computed from."""
        return (self.condition, self.value, self.other)


@dataclass(eq=False)
class Reduced(ElementExpression):
    """The result of a reduction at an index of what it keeps."""

    reduction: Any  # a Reduction
    index: tuple[Size, ...]

    def own_symbols(self) -> set[Any]:
        """Those that it names itself."""
        return {symbol for one in self.index for symbol in one.free_symbols}


@dataclass(eq=False)
class Folded(ElementExpression):
    """The result of a fold of the same stage, by its name there."""

    name: str


@dataclass
class Expressions:
    """The expressions of one task, each of them once."""

    _known: dict[Any, ElementExpression] = field(default_factory=dict)
    _names: int = 0

    def made(self, kind: type[ElementExpression], *fields: Any) -> Any:
        """The expression with these fields."""
        key = (kind, tuple(_key(one) for one in fields))
        if key not in self._known:
            self._known[key] = kind(*fields)
        return self._known[key]

    def number(self, value: float | int | bool, dtype: str) -> ElementExpression:
        """A constant."""
        return self.made(Number, dtype, value)  # type: ignore[no-any-return]

    def operation(self, name: str, dtype: str, *arguments: ElementExpression) -> ElementExpression:
        """A function of others."""
        return self.made(ElementOperation, dtype, name, tuple(arguments))  # type: ignore[no-any-return]

    def cast(self, value: ElementExpression, dtype: str) -> ElementExpression:
        """In another dtype; nothing where it has that already."""
        wanted = computed_in(dtype)
        if value.dtype == wanted:
            return value
        if isinstance(value, Number):
            return self.number(_converted(value.value, wanted), wanted)
        return self.operation("cast", wanted, value)

    def fresh(self, prefix: str) -> sympy.Symbol:
        """A variable that no other expression has."""
        self._names += 1
        return sympy.Symbol(f"{prefix}{self._names}", integer=True, nonnegative=True)

    def mapped(
        self,
        root: ElementExpression,
        change: Callable[[ElementExpression], ElementExpression | None],
    ) -> ElementExpression:
        """The tree with parts replaced: `change` says by what, None keeps and goes deeper."""
        seen: dict[int, ElementExpression] = {}

        def walk(one: ElementExpression) -> ElementExpression:
            if id(one) not in seen:
                changed = change(one)
                seen[id(one)] = self._with_parts(one, walk) if changed is None else changed
            return seen[id(one)]

        return walk(root)

    def _with_parts(
        self, one: ElementExpression, walk: Callable[[ElementExpression], ElementExpression]
    ) -> ElementExpression:
        match one:
            case ElementOperation():
                return self.operation(one.name, one.dtype, *map(walk, one.arguments))
            case Masked():
                parts = map(walk, one.parts)
                return self.made(Masked, one.dtype, *parts)  # type: ignore[no-any-return]
            case ElementLoad() if one.computed:
                inner = tuple((name, walk(value)) for name, value in one.computed)
                return self.made(ElementLoad, one.dtype, one.buffer, one.offset, inner)  # type: ignore[no-any-return]
            case IndexValue() if one.computed:
                inner = tuple((name, walk(value)) for name, value in one.computed)
                return self.made(IndexValue, one.dtype, one.index, inner)  # type: ignore[no-any-return]
        return one

    def substituted(self, root: ElementExpression, places: Mapping[Any, Size]) -> ElementExpression:
        """With other indices."""

        def moved(size: Size) -> Size:
            return sympy.expand(size.subs(places, simultaneous=True))

        def change(one: ElementExpression) -> ElementExpression | None:
            match one:
                case ElementLoad():
                    inner = tuple((n, self.substituted(v, places)) for n, v in one.computed)
                    return self.made(ElementLoad, one.dtype, one.buffer, moved(one.offset), inner)  # type: ignore[no-any-return]
                case IndexValue():
                    inner = tuple((n, self.substituted(v, places)) for n, v in one.computed)
                    return self.made(IndexValue, one.dtype, moved(one.index), inner)  # type: ignore[no-any-return]
                case Reduced():
                    index = tuple(moved(size) for size in one.index)
                    return self.made(Reduced, one.dtype, one.reduction, index)  # type: ignore[no-any-return]
            return None

        return self.mapped(root, change)


def every(roots: Sequence[ElementExpression]) -> Iterator[ElementExpression]:
    """All parts of some expressions, each once, parts before what is made of them."""
    seen: set[int] = set()
    stack: list[tuple[ElementExpression, bool]] = [(one, False) for one in reversed(roots)]
    while stack:
        one, done = stack.pop()
        if done:
            yield one
        elif id(one) not in seen:
            seen.add(id(one))
            stack.append((one, True))
            stack.extend((part, False) for part in reversed(one.parts))


def _key(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_key(one) for one in value)
    if isinstance(value, ElementExpression):
        return id(value)
    if isinstance(value, float | int | bool):
        return (type(value).__name__, repr(value))
    return value


def _converted(value: float | int | bool, dtype: str) -> float | int | bool:
    if dtype == "bool":
        return bool(value)
    return float(value) if dtype in FLOATS else int(value)
