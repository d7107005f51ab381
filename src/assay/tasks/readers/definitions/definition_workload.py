"""DefinitionWorkload: one set of sizes and one way to make each input of a definition.

The rule: every axis has one value, and constraints over axes hold, before a task is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.tasks.readers.definitions.definition import Definition
from assay.tasks.readers.definitions.size_expression import names_in, size_of, value_of
from assay.tasks.readers.kernelbench import read_source


@dataclass(frozen=True)
class DefinitionWorkload:
    """Values of the variable axes, and `{"type": ...}` of each input."""

    definition: str  # by name; empty where the line does not say
    uuid: str
    axes: dict[str, int]
    inputs: dict[str, dict[str, Any]]
    path: Path


def workloads_in(path: Path) -> Iterator[DefinitionWorkload | str]:
    """The workloads of a file of JSON lines, and what is wrong with the other lines.

    A line may be the workload itself or a trace that holds one; one with an evaluation is none.
    """
    for number, line in enumerate(read_source(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            held = told.get("workload", told)
            if told.get("solution") is None and "axes" in held:
                yield DefinitionWorkload(
                    definition=str(told.get("definition") or ""),
                    uuid=str(held.get("uuid", "")),
                    axes={name: int(value) for name, value in held["axes"].items()},
                    inputs=dict(held.get("inputs") or {}),
                    path=path,
                )
        except (ValueError, TypeError, AttributeError) as error:
            yield f"line {number} is no workload: {error}"


def sizes_of(definition: Definition, workload: DefinitionWorkload) -> dict[str, int]:
    """The value of every axis."""
    missing = [name for name in definition.variables if name not in workload.axes]
    if missing:
        raise UsageError(f"the workload gives no value of the axis {', '.join(missing)}")
    sizes = dict(definition.constants)
    sizes |= {name: workload.axes[name] for name in definition.variables}
    for name, text in definition.expressions.items():
        sizes[name] = size_of(text, sizes)
    for constraint in definition.constraints:
        if names_in(constraint) <= sizes.keys() and not value_of(constraint, sizes):
            raise UsageError(f"the workload {workload.uuid} breaks the constraint {constraint}")
    return sizes
