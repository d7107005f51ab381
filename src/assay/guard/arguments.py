"""Arguments: what a call is given.

The rule: an argument that is missing is nothing, never an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.guard.values import NOTHING, Value


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call is given."""

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    @property
    def all(self) -> list[Value]:
        """Every argument, named or not."""
        return [*self.positional, *self.keywords.values()]

    def get(self, position: int, name: str = "") -> Value:
        """An argument by place or by name; nothing where it is missing."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if position < len(self.positional) else NOTHING
