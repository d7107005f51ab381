"""FamilyFile: a file of many small tasks, read without running it.

The rule: `AXES`, what decorators say, and what `FAMILY` says for all of them are literals. Each
function gives one task for each of its dtypes, and one more for its gradients where it declares
them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.data.axis import Axis, AxisRole
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.families.family_function import SUFFIXES, FamilyFunction, family_function
from assay.tasks.families.module_text import FamilyText, module_text
from assay.tasks.readers.kernelbench import declared_contract, literals_of
from assay.tasks.references.backward import backward_of


def tasks_of_family(text: str, file: str, made: Mapping[str, Any]) -> Iterator[Task]:
    """Every task of the file; `made` are the fields that all of them share."""
    tree = module_tree(text)
    family = FamilyText(text, tree)
    literals = literals_of(tree)
    axes, shared = literals.get("AXES"), literals.get("FAMILY", {})
    if not isinstance(axes, dict) or not isinstance(shared, dict):
        raise UsageError(f"{file}: AXES and FAMILY are literal dicts")
    for node in tree.body:
        function = (
            family_function(node, file, shared) if isinstance(node, ast.FunctionDef) else None
        )
        if function is not None:
            yield from _tasks(family, function, axes, made)


def _tasks(
    family: FamilyText,
    function: FamilyFunction,
    axes: Mapping[str, Mapping[str, Any]],
    made: Mapping[str, Any],
) -> Iterator[Task]:
    for dtype in function.declared.dtypes:
        task = _task(family, function, axes, dtype, made)
        yield task
        if function.declared.backward:
            yield backward_of(task)


def _task(
    family: FamilyText,
    function: FamilyFunction,
    axes: Mapping[str, Mapping[str, Any]],
    dtype: str,
    made: Mapping[str, Any],
) -> Task:
    used = {name for one in function.arguments for name in one.names(function.where)}
    spaces = tuple(_axis(name, axes[name], function) for name in axes if name in used)
    if spaces and "role" not in axes[spaces[0].name]:
        spaces = _with_batch(spaces)
    source = module_text(family, function, {axis.name: axis.own for axis in spaces}, dtype)
    return Task(
        id=function.name + SUFFIXES[dtype],
        title=function.title,
        source=source,
        axes=spaces,
        tags=(*function.declared.all_tags(), f"dtype:{dtype}"),
        contract=declared_contract(function.declared.contract, function.where),
        **made,
    )


def _with_batch(spaces: Sequence[Axis]) -> tuple[Axis, ...]:
    """The first axis counts the independent parts of the work where none is said to."""
    if any(axis.role is AxisRole.BATCH for axis in spaces):
        return tuple(spaces)
    return (spaces[0].model_copy(update={"role": AxisRole.BATCH}), *spaces[1:])


def _axis(name: str, spec: Mapping[str, Any], function: FamilyFunction) -> Axis:
    declared = function.declared
    return Axis(
        name=name,
        own=declared.own.get(name, spec["own"]),
        low=declared.low.get(name, spec.get("low", 1)),
        high=declared.high.get(name, spec["high"]),
        role=AxisRole(spec.get("role", "size")),
        multiple_of=spec.get("multiple_of", 1),
    )
