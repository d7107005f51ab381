"""A reference is traced where no device can be seen: it needs none, and Dynamo would open one."""

from __future__ import annotations

from assay.generators.templates.graph.traced_graph import traced
from assay.tasks.catalog import resolve

_SEES_NONE = """
import os

assert os.environ["CUDA_VISIBLE_DEVICES"] == "", "a device can be seen"
"""


def test_a_trace_sees_no_device() -> None:
    relu = resolve("relu")
    task = relu.model_copy(update={"source": relu.source + _SEES_NONE})
    assert [node.op for node in traced(task).nodes] == ["aten.relu.default"]
