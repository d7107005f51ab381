"""ExpressionWriter: expressions as statements of a target language, each value once.

The rule: a load under a condition happens only where the condition holds. The two targets differ
in their words only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from assay.generators.templates.graph.expression import (
    ElementExpression,
    ElementLoad,
    ElementOperation,
    Folded,
    IndexValue,
    Masked,
    Number,
)
from assay.generators.templates.graph.symbolic_size import Size


class ExpressionWriter(ABC):
    """One scope: names that were given in it are known until it ends."""

    def __init__(self, names: Mapping[Any, str], memory: Mapping[str, str], first: int = 0) -> None:
        self.names = dict(names)  # loop variables, folds
        self.memory = memory  # dtype in memory of each buffer
        self.lines: list[str] = []
        self._known: dict[tuple[int, str], str] = {}
        self._kept: list[ElementExpression] = []
        self._count = first

    def written(self, one: ElementExpression, mask: str = "") -> str:
        """The text of a value: a name or a number."""
        key = (id(one), mask)
        if key not in self._known:
            self._kept.append(one)
            self._known[key] = self._text(one, mask)
        return self._known[key]

    def _text(self, one: ElementExpression, mask: str) -> str:
        match one:
            case Number():
                return self.number(one.value, one.dtype)
            case Folded():
                return str(self.names[one.name])
            case IndexValue():
                return self.named(one.dtype, self.index(one.index, one.computed, mask))
            case ElementLoad():
                return self.named(one.dtype, self.load(one, mask))
            case Masked():
                return self._masked(one, mask)
            case ElementOperation():
                given = [self.written(part, mask) for part in one.arguments]
                kinds = [part.dtype for part in one.arguments]
                return self.named(one.dtype, self.operation(one.name, one.dtype, given, kinds))
        raise ValueError(f"{type(one).__name__} has no text")

    def _masked(self, one: Masked, mask: str) -> str:
        condition = self.written(one.condition, mask)
        both = self.named("bool", self.both(mask, condition)) if mask else condition
        value = self.written(one.value, both)
        other = self.written(one.other, mask)
        chosen = self.operation("where", one.dtype, [condition, value, other], [])
        return self.named(one.dtype, chosen)

    def named(self, dtype: str, text: str) -> str:
        """A name for a text."""
        name = f"t{self._count}"
        self._count += 1
        self.lines.append(self.assignment(dtype, name, text))
        return name

    @property
    def count(self) -> int:
        """How many names were given."""
        return self._count

    def index(
        self, place: Size, computed: Sequence[tuple[Any, ElementExpression]], mask: str
    ) -> str:
        """A place as text."""
        texts = {symbol: self.written(value, mask) for symbol, value in computed}
        return self.place(place, texts)

    @abstractmethod
    def place(self, place: Size, texts: Mapping[Any, str]) -> str:
        """A place in the target's words."""

    @abstractmethod
    def number(self, value: float | int | bool, dtype: str) -> str:
        """A constant."""

    @abstractmethod
    def load(self, one: ElementLoad, mask: str) -> str:
        """A load, only where the mask holds."""

    @abstractmethod
    def operation(self, name: str, dtype: str, given: Sequence[str], kinds: Sequence[str]) -> str:
        """A function of texts whose dtypes are `kinds`."""

    @abstractmethod
    def both(self, first: str, second: str) -> str:
        """Two conditions at once."""

    @abstractmethod
    def assignment(self, dtype: str, name: str, text: str) -> str:
        """A statement that names a value."""


def placed(place: Size, names: Mapping[Any, str]) -> Size:
    """A place in the names of a scope."""
    import sympy

    renamed = {
        symbol: sympy.Symbol(names[symbol], integer=True)
        for symbol in place.free_symbols
        if symbol in names
    }
    return place.subs(renamed, simultaneous=True)
