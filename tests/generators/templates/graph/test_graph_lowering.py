from __future__ import annotations

import pytest

from assay.generators.templates.graph.graph_lowering import lowered
from assay.generators.templates.graph.traced_graph import (
    GraphInput,
    GraphNode,
    TensorFact,
    TracedGraph,
)


def cast_and_back(dtype: str) -> TracedGraph:
    """`x.to(dtype).to(float32)`, which rounds to what dtype can hold."""
    x, narrow, wide = (TensorFact(("8",), one) for one in ("float32", dtype, "float32"))
    there = GraphNode("there", "aten._to_copy.default", ({"node": "x"},), {}, (narrow,))
    back = GraphNode("back", "aten._to_copy.default", ({"node": "there"},), {}, (wide,))
    given = GraphInput("x", "L['x']", x)
    return TracedGraph((given,), (there, back), ("back",), (), (), returns_tuple=False)


def test_a_dtype_that_no_target_writes_is_refused_on_the_way_too() -> None:
    assert lowered(cast_and_back("bfloat16")).outputs[0].dtype == "float32"
    with pytest.raises(ValueError, match="float8_e4m3fn is not covered"):
        lowered(cast_and_back("float8_e4m3fn"))
