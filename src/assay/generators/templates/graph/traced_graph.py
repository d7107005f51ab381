"""TracedGraph: a reference as a graph of ATen operations with open sizes, read from text.

The rule: the text is parsed, never run. Sizes are expressions over the names of sizes; what is no
tensor, number, dtype or list is left out by the process that writes the text.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.task import Task

TIMEOUT_S = 120.0
# A trace needs no device. Dynamo would open one all the same: its memory would be taken, and a
# fork of a process that has one cannot trace at all.
WITHOUT_DEVICE = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}


@dataclass(frozen=True)
class TensorFact:
    """Shape and dtype of a value; sizes are texts."""

    shape: tuple[str, ...]
    dtype: str


@dataclass(frozen=True)
class GraphInput:
    """An input of the graph: where it comes from, in Dynamo's words."""

    name: str
    source: str
    fact: TensorFact | None  # None: a size


@dataclass(frozen=True)
class GraphNode:
    """One operation. A value among its arguments is {"node": name}, a size {"size": text}."""

    name: str
    op: str  # "aten.add.Tensor"
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    facts: tuple[TensorFact | None, ...]  # one, or one for each result

    @property
    def fact(self) -> TensorFact:
        """Of its only result."""
        if len(self.facts) != 1 or self.facts[0] is None:
            raise ValueError(f"{self.op} has no single tensor as its result")
        return self.facts[0]


@dataclass(frozen=True)
class TracedGraph:
    """The whole reference."""

    inputs: tuple[GraphInput, ...]
    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]
    conditions: tuple[str, ...]  # on the sizes, in Python
    sizes: tuple[tuple[str, str], ...]  # each name of a size, and where it comes from
    returns_tuple: bool
    updated: Mapping[str, str] = field(default_factory=dict)  # input -> the value written to it
    hints: Mapping[str, int] = field(default_factory=dict)  # size -> its value in the own workload


def traced(task: Task, timeout_s: float = TIMEOUT_S) -> TracedGraph:
    """Trace the reference in a process of its own; why it cannot be traced is a ValueError."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "task.py").write_text(task.source, encoding="utf-8")
        (place / "entry").write_text(task.entry, encoding="utf-8")
        command = [sys.executable, "-m", "assay.generators.templates.graph.trace_process", folder]
        try:
            ended = subprocess.run(
                command,
                cwd=folder,
                env=os.environ | WITHOUT_DEVICE,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as problem:
            raise ValueError(f"tracing did not end within {timeout_s:.0f} s") from problem
        answer = place / "answer.json"
        if not answer.exists():
            raise ValueError(f"the tracing process ended with {ended.returncode}")
        return graph_of(json.loads(answer.read_text(encoding="utf-8")))


def graph_of(fields: Mapping[str, Any]) -> TracedGraph:
    """The graph of an answer; a reason why there is none is a ValueError."""
    if "reason" in fields:
        raise ValueError(fields["reason"])
    return TracedGraph(
        inputs=tuple(
            GraphInput(one["name"], one["source"], _fact(one["fact"])) for one in fields["inputs"]
        ),
        nodes=tuple(
            GraphNode(
                one["name"],
                one["op"],
                tuple(one["args"]),
                one["kwargs"],
                tuple(_fact(fact) for fact in one["facts"]),
            )
            for one in fields["nodes"]
        ),
        outputs=tuple(fields["outputs"]),
        conditions=tuple(fields["conditions"]),
        sizes=tuple((name, source) for name, source in fields["sizes"]),
        returns_tuple=fields["returns_tuple"],
        updated=dict(fields["updated"]),
        hints=dict(fields.get("hints", {})),
    )


def _fact(value: Mapping[str, Any] | None) -> TensorFact | None:
    return None if value is None else TensorFact(tuple(value["shape"]), value["dtype"])
