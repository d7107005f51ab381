"""Tasks made so large that their bytes are several times a cache, and the bandwidth of a copy.

The rule: only the batch axis grows; a task without one has no large shape, and the reason says so.
"""

from __future__ import annotations

import ast
import json
import statistics
from pathlib import Path

from assay.data.axis import Axis
from assay.data.task import Task

LARGE_BYTES = 512 << 20
CEILINGS = Path(__file__).parent / "results" / "ceilings_h200.json"


def large_task(task: Task, moved: int) -> Task:
    """The same task with its batch axis so long that about LARGE_BYTES are moved."""
    batch = next((one for one in task.axes if one.role.value == "batch"), None)
    if batch is None:
        raise ValueError("the task has no batch axis that could grow")
    tree = ast.parse(task.source)
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(own))):
                if name == batch.name:
                    size = own * max(1, round(LARGE_BYTES / max(moved, 1)))
                    node.value = ast.Constant(size)
                    axes = tuple(_grown(one, batch.name, size) for one in task.axes)
                    text = ast.unparse(tree)
                    return task.model_copy(
                        update={"id": f"{task.id}_large", "source": text, "axes": axes}
                    )
    raise ValueError(f"the task's file does not set {batch.name}")


def _grown(axis: Axis, name: str, size: int) -> Axis:
    if axis.name != name:
        return axis
    return axis.model_copy(update={"own": size, "high": max(size, axis.high)})


def copy_bandwidth() -> float | None:
    """Bytes a second that a large copy was measured at on the H200, both ways counted."""
    if not CEILINGS.exists():
        return None
    for one in json.loads(CEILINGS.read_text(encoding="utf-8"))["subjects"]:
        if one["name"] == "copy":
            return float(one["work_per_call"] / statistics.median(one["ours_us"]) * 1e6)
    return None
