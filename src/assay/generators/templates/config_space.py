"""ConfigSpace: the parameters of a template and the values that each may have.

The rule: values are in order, so that neighbours differ a little; the first point is the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

Point = Mapping[str, str]


@dataclass(frozen=True)
class Parameter:
    """One parameter: its values in order, and the one that a draft has."""

    name: str
    values: tuple[str, ...]
    default: str

    def __post_init__(self) -> None:
        if self.default not in self.values:
            raise ValueError(f"{self.name}: {self.default} is none of {self.values}")


@dataclass(frozen=True)
class ConfigSpace:
    """All points that a search may choose among."""

    parameters: tuple[Parameter, ...]

    @property
    def default(self) -> dict[str, str]:
        """The point of a draft."""
        return {one.name: one.default for one in self.parameters}

    @property
    def size(self) -> int:
        """How many points there are."""
        return prod(len(one.values) for one in self.parameters)

    def holds(self, point: Point) -> bool:
        """Whether a point is one of them."""
        known = {one.name: one.values for one in self.parameters}
        return point.keys() == known.keys() and all(v in known[n] for n, v in point.items())

    def neighbours(self, point: Point) -> list[dict[str, str]]:
        """Points one step away in one parameter, in the order of the parameters."""
        found = []
        for one in self.parameters:
            place = one.values.index(point[one.name])
            for near in (place + 1, place - 1):
                if 0 <= near < len(one.values):
                    found.append({**point, one.name: one.values[near]})
        return found

    def point(self, number: int) -> dict[str, str]:
        """The point with this number, from 0 to size - 1."""
        found = {}
        for one in self.parameters:
            number, place = divmod(number, len(one.values))
            found[one.name] = one.values[place]
        return found
