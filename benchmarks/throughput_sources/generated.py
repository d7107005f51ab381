"""One generated source, and the seeded choices it is made of.

The rule: every source has a name of its own in it, so no cache has seen it before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Template

_WORDS = "amber birch cedar delta ember fjord grove heron inlet juniper kelp linden maple".split()


@dataclass(frozen=True)
class Generated:
    """A candidate's text and the task it is for."""

    task: str  # a name, or the text of a task
    name: str
    text: str
    suffix: str


class Choices:
    """What varies between two sources of one template."""

    def __init__(self, seed: int, number: int) -> None:
        self._random = random.Random(f"{seed}/{number}")
        letters = f"{self._random.getrandbits(40):010x}"
        self.name = f"{self._random.choice(_WORDS)}_{number}_{letters}"

    def one(self, *options: object) -> str:
        """One of them, as text."""
        return str(self._random.choice(options))


Fields = Callable[[Choices], Mapping[str, str]]


@dataclass(frozen=True)
class Family:
    """Kernels of one task: a template, and what is filled in."""

    task: str
    label: str
    template: str
    fields: Fields


def generated(families: tuple[Family, ...], seed: int, count: int, suffix: str) -> list[Generated]:
    """So many sources, the families in turn, those of one task together."""
    made = []
    for number in range(count):
        family = families[number % len(families)]
        choices = Choices(seed, number)
        fields = {"name": choices.name, **family.fields(choices)}
        text = Template(family.template).substitute(fields)
        made.append(Generated(family.task, f"{family.label}_{choices.name}{suffix}", text, suffix))
    order = [family.task for family in families]
    return sorted(made, key=lambda one: order.index(one.task))
