"""Draft: the parts of one module while it is put together, and the text it becomes.

The rule: a draft is a function of its seed alone, and its candidate is the same class under the
name that a candidate has, so every other verdict than `accepted` is the judge's fault.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

_HEAD = (
    "import dataclasses\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
)


@dataclass(frozen=True)
class Module:
    """A finished one: the task's source, the candidate's, and what it is made of."""

    number: int
    task: str
    candidate: str
    features: tuple[str, ...]


@dataclass
class Draft:
    """Lines by the place they belong to."""

    chance: random.Random
    shape: list[str] = field(default_factory=list)  # names of the sizes of `x`
    dtype: str = "float32"
    sizes: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)  # a name, and what draws it
    classes: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    result: str = "h"
    features: list[str] = field(default_factory=list)

    def has(self, *features: str) -> None:
        """Note what the module is made of."""
        self.features.extend(features)

    @property
    def width(self) -> str:
        """The size of the last dimension of `x`."""
        return self.shape[-1]

    def finished(self, number: int) -> Module:
        """The task and its candidate as text."""
        task = f"{_HEAD}\n{self._class('Model')}\n{self._generators()}"
        candidate = f"{_HEAD}\n{self._class('ModelNew')}"
        return Module(number, task, candidate, tuple(sorted(set(self.features))))

    def _class(self, name: str) -> str:
        init = ", ".join(["self", *self.sizes])
        forward = ", ".join(["self", *self.inputs])
        lines = [
            *self.classes,
            f"class {name}(nn.Module):",
            f"    def __init__({init}):",
            "        super().__init__()",
            *(f"        {line}" for line in self.setup),
            f"    def forward({forward}):",
            *(f"        {line}" for line in self.body),
            f"        return {self.result}",
        ]
        return "\n".join(lines) + "\n"

    def _generators(self) -> str:
        sizes = "\n".join(f"{name} = {size}" for name, size in self.sizes.items())
        drawn = ", ".join(self.inputs.values())
        given = ", ".join(self.sizes)
        return (
            f"{sizes}\n\ndef get_inputs():\n    return [{drawn}]\n\n"
            f"def get_init_inputs():\n    return [{given}]\n"
        )
