"""Recipes: faults that need knowledge of one kernel, written down in recipes.toml.

The rule: a recipe whose kernel is gone, or whose old text does not stand there exactly once, is an
error and never left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutants.edit import Edit, substitution
from mutants.kernel import Kernel

FILE = Path(__file__).with_name("recipes.toml")


@dataclass(frozen=True)
class Recipe:
    """`new` in place of `old` in one kernel."""

    kernel: str
    kind: str
    old: str
    new: str


@cache
def recipes() -> tuple[Recipe, ...]:
    """All of them."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))["recipe"]
    return tuple(Recipe(**entry) for entry in entries)


def recipes_for(kernel: Kernel) -> Iterator[Edit]:
    """The edits written for this kernel."""
    for recipe in recipes():
        if recipe.kernel == kernel.path:
            count = kernel.text.count(recipe.old)
            if count != 1:
                raise ValueError(f"{kernel.path}: {recipe.old!r} stands there {count} times")
            start = kernel.text.index(recipe.old)
            yield substitution(recipe.kind, start, start + len(recipe.old), recipe.new)


def check(kernels: Iterable[Kernel]) -> None:
    """Every recipe has its kernel."""
    missing = {recipe.kernel for recipe in recipes()} - {kernel.path for kernel in kernels}
    if missing:
        raise ValueError(f"recipes for kernels that are not there: {', '.join(sorted(missing))}")
