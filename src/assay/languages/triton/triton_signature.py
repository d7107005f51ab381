"""Triton signature: types and constants with which a kernel is compiled when nobody launches it.

The rule: what the source does not say is chosen as an ordinary launch would have it, and every
choice is told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

CONSTANT = "constexpr"
DIVISOR = (
    16  # what a launch finds of allocated pointers and of sizes; without it nothing vectorises
)

SIZE = 1024


@dataclass(frozen=True, slots=True)
class LanguageType:
    """A constant that is a type of Triton's language, by its name there."""

    name: str

    def __str__(self) -> str:
        return f"tl.{self.name}"


@dataclass(frozen=True, slots=True)
class TritonParameter:
    """One parameter of a kernel: `*fp32`, `i32`, `fp32`, or a constant with its value."""

    name: str
    kind: str
    value: Any = None
    source: str = ""  # where the value of a constant comes from

    @property
    def divisible(self) -> bool:
        """Whether a launch would find it divisible."""
        return self.kind.startswith("*") or self.kind in ("i32", "i64")


@dataclass(frozen=True, slots=True)
class TritonLaunch:
    """How one kernel is compiled."""

    kernel: str
    line: int
    parameters: tuple[TritonParameter, ...]
    options: tuple[tuple[str, int], ...] = ()  # num_warps, num_stages
    file: str = ""  # empty for the main file

    def configured(self, constants: Mapping[str, Any], options: Mapping[str, int]) -> TritonLaunch:
        """With what an autotuner's first configuration sets."""
        merged = tuple((dict(self.options) | dict(options)).items())
        return replace(self._set(constants, "first of its configurations"), options=merged)

    def decided(self, heuristics: Mapping[str, Callable[[dict[str, Any]], Any]]) -> TritonLaunch:
        """With what heuristics answer at sizes of 1024; one that fails leaves the guess."""
        given = {
            one.name: one.value if one.kind == CONSTANT else SIZE if one.kind == "i32" else one.kind
            for one in self.parameters
        }
        answers: dict[str, Any] = {}
        for name, heuristic in heuristics.items():
            with contextlib.suppress(Exception):
                answers[name] = heuristic(given | answers)
        return self._set(answers, f"its heuristics at sizes of {SIZE}")

    def _set(self, constants: Mapping[str, Any], source: str) -> TritonLaunch:
        chosen = tuple(
            replace(one, kind=CONSTANT, value=constants[one.name], source=source)
            if one.name in constants
            else one
            for one in self.parameters
        )
        return replace(self, parameters=chosen)

    def with_pointers_to(self, kind: str) -> TritonLaunch:
        """The same with pointers to floats of another width."""
        chosen = tuple(
            replace(one, kind=f"*{kind}") if one.kind == "*fp32" else one for one in self.parameters
        )
        return replace(self, parameters=chosen)

    def assumed(self) -> tuple[str, ...]:
        """Every choice in words."""
        lines = []
        for kind in dict.fromkeys(one.kind for one in self.parameters if one.kind != CONSTANT):
            names = [one.name for one in self.parameters if one.kind == kind]
            divisible = f", divisible by {DIVISOR}" if _is_divisible(self.parameters, kind) else ""
            lines.append(f"{', '.join(names)}: {kind}{divisible}")
        constants = [one for one in self.parameters if one.kind == CONSTANT]
        lines += [f"{one.name} = {one.value} ({one.source})" for one in constants]
        return (*lines, *(f"{name} = {value}" for name, value in self.options))


def _is_divisible(parameters: Iterable[TritonParameter], kind: str) -> bool:
    return any(one.divisible for one in parameters if one.kind == kind)
