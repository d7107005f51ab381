"""Definition: one operation in the form of SOL-ExecBench or FlashInfer-Trace.

The rule: both dialects are read by the same class. A definition that cannot become a task is a
UsageError that says why; fields that nobody asks for are left alone.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.readers.definitions.size_expression import names_in
from assay.tasks.readers.kernelbench import read_source

RUN = "run"
_KEYS = {"axes", "inputs", "outputs"}
_SUFFIX = "_reference"  # of the function, in dumps of FlashInfer's own tests


@dataclass(frozen=True)
class TensorSpec:
    """An input or output. `shape` is None for a number of Python."""

    name: str
    shape: tuple[str, ...] | None
    dtype: str
    description: str = ""


@dataclass(frozen=True)
class Definition:
    """What is computed, over which sizes."""

    name: str
    path: Path
    description: str
    op_type: str
    tags: tuple[str, ...]
    constants: dict[str, int]
    variables: tuple[str, ...]
    expressions: dict[str, str]
    constraints: tuple[str, ...]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    reference: str
    function: str  # of the reference
    custom_inputs: str = ""  # the function that makes inputs, where the reference has one

    @property
    def tree(self) -> ast.Module:
        """The reference, parsed."""
        return module_tree(self.reference)


def json_at(path: Path) -> Any:
    """What a JSON file holds."""
    try:
        return json.loads(read_source(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} is not JSON: {error}") from error


def is_definition(told: Any) -> bool:
    """Whether the content of a JSON file has the fields of a definition."""
    return isinstance(told, dict) and told.keys() >= _KEYS


def definition_of(told: dict[str, Any], path: Path) -> Definition:
    """The definition in a file, checked."""
    try:
        return _definition(told, path)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"a field is missing or of another type: {error!r}") from error


def _definition(told: dict[str, Any], path: Path) -> Definition:
    axes = told["axes"]
    by_kind: dict[str, dict[str, Any]] = {"const": {}, "var": {}, "expr": {}}
    for name, axis in axes.items():
        if axis["type"] not in by_kind:
            raise UsageError(f"axis '{name}' is of the unknown type '{axis['type']}'")
        if not name.isidentifier():
            raise UsageError(f"axis '{name}' is no name")
        by_kind[axis["type"]][name] = axis
    inputs, outputs = _specs(told["inputs"]), _specs(told["outputs"])
    _check_axes((*inputs, *outputs), set(axes))
    reference = told.get("reference")
    if not isinstance(reference, str) or not reference.strip():
        raise UsageError("it has no reference")
    return Definition(
        name=str(told.get("name") or path.stem),
        path=path,
        description=str(told.get("description") or ""),
        op_type=str(told.get("op_type") or ""),
        tags=tuple(map(str, told.get("tags") or ())),
        constants={name: int(axis["value"]) for name, axis in by_kind["const"].items()},
        variables=tuple(by_kind["var"]),
        expressions={name: str(axis["expression"]) for name, axis in by_kind["expr"].items()},
        constraints=tuple(map(str, told.get("constraints") or ())),
        inputs=inputs,
        outputs=outputs,
        reference=reference,
        function=_function(reference, inputs),
        custom_inputs=str(told.get("custom_inputs_entrypoint") or ""),
    )


def _specs(told: dict[str, Any]) -> tuple[TensorSpec, ...]:
    specs = []
    for name, spec in told.items():
        if not name.isidentifier():
            raise UsageError(f"'{name}' is no name of an argument")
        shape = spec["shape"]
        specs.append(
            TensorSpec(
                name=name,
                shape=None if shape is None else tuple(str(part) for part in shape),
                dtype=str(spec["dtype"]),
                description=str(spec.get("description") or ""),
            )
        )
    return tuple(specs)


def _check_axes(specs: tuple[TensorSpec, ...], axes: set[str]) -> None:
    for spec in specs:
        used = {name for part in spec.shape or () for name in names_in(part)}
        if used - axes:
            raise UsageError(f"'{spec.name}' has the unknown axis {', '.join(sorted(used - axes))}")


def _function(reference: str, inputs: tuple[TensorSpec, ...]) -> str:
    """The function that is called: `run`, or the only one whose name says that it is one."""
    try:
        tree = module_tree(reference)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"its reference is not Python: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    named = [name for name in functions if name.endswith(_SUFFIX)]
    name = RUN if RUN in functions else named[0] if len(named) == 1 else ""
    if not name:
        raise UsageError(f"its reference defines no function '{RUN}'")
    given = functions[name].args
    takes = [arg.arg for arg in (*given.posonlyargs, *given.args)]
    if len(takes) < len(inputs) and given.vararg is None and name == RUN:
        raise UsageError(f"its {name} takes {len(takes)} arguments, its inputs are {len(inputs)}")
    return name
