"""FunctionCall: how a task of a functional format calls its function, written as a module class.

The rule: the reference's `Model` and a candidate's `ModelNew` are the same text over two functions.
Tensors are inputs of `forward`; every other argument is one of the constructor, where a size
follows the others and a float is varied.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import asdict, dataclass
from typing import Any

from assay.python_tree import module_tree

RECORD = "ENTRY_CALL"  # the top-level literal of a task's source that holds the call

_CLASS = """\
class {name}(torch.nn.Module):
    def __init__(self{parameters}):
        super().__init__()
{kept}
    def forward(self{inputs}):
        return {expression}
"""


@dataclass(frozen=True)
class FunctionCall:
    """One call: `expression` is written in names of `inputs`, and `self.NAME` of `settings`."""

    function: str  # top-level name of the module that is called
    expression: str
    inputs: tuple[str, ...]
    settings: tuple[str, ...] = ()

    def module_class(self, name: str) -> str:
        """The text of a module class that makes the call."""
        kept = "".join(f"        self.{setting} = {setting}\n" for setting in self.settings)
        return _CLASS.format(
            name=name,
            parameters="".join(f", {setting}" for setting in self.settings),
            kept=kept,
            inputs="".join(f", {given}" for given in self.inputs),
            expression=self.expression,
        )

    def record(self) -> str:
        """The line by which the call is found again in the task's source."""
        return f"{RECORD} = {asdict(self)!r}\n"


@functools.lru_cache(maxsize=1024)
def recorded_call(source: str) -> FunctionCall | None:
    """The call that a task's source records; None where it records none."""
    for node in reversed(module_tree(source).body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == RECORD:
                return _of_literal(ast.literal_eval(value))
    return None


def _of_literal(fields: dict[str, Any]) -> FunctionCall:
    return FunctionCall(
        function=fields["function"],
        expression=fields["expression"],
        inputs=tuple(fields["inputs"]),
        settings=tuple(fields["settings"]),
    )
