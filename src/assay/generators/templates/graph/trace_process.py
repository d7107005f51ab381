"""TraceProcess: the process in which a task's reference is traced.

    python -m assay.generators.templates.graph.trace_process FOLDER

reads `FOLDER/task.py` and the name of its class in `FOLDER/entry`, and writes `FOLDER/answer.json`:
the fields of a `TracedGraph`, or the reason why there is none.

The rule: the reference runs here and nowhere else of this room. Nothing is compiled.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from assay.generators.inductor_process import DynamoGraph, imported_task, leave_sizes_open

_KEPT_WHOLE = ("mm", "bmm", "addmm", "baddbmm", "mv", "dot", "addmv", "cat", "convolution")


def main(folder: Path) -> int:
    """Trace, and write the graph or the reason."""
    try:
        found = traced_fields(folder / "task.py", (folder / "entry").read_text())
    except Exception as error:  # whatever a tracer raises is the reason why there is no graph
        found = {"reason": f"{type(error).__name__}: {first_sentence(str(error))}"}
    (folder / "answer.json").write_text(json.dumps(found), encoding="utf-8")
    return 0


def first_sentence(text: str) -> str:
    """The first line, and the next one where the first only announces it."""
    lines = [one.strip() for one in text.splitlines() if one.strip()] or [""]
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


def traced_fields(path: Path, entry: str) -> dict[str, Any]:
    """Trace the class of the module at `path`."""
    import torch

    task = imported_task(path)
    torch.manual_seed(0)
    model = getattr(task, entry)(*task.get_init_inputs()).eval()
    inputs = task.get_inputs()
    leave_sizes_open()
    graph = AtenGraph()
    with torch.no_grad():
        made: Any = torch.compile(model, backend=graph.trace, dynamic=True, fullgraph=True)
        result = made(*inputs)
    outputs = result if isinstance(result, tuple | list) else (result,)
    if not all(isinstance(one, torch.Tensor) for one in outputs):
        raise ValueError("the reference returns something that is no tensor")
    conditions = graph.conditions(model, inputs)
    return graph.fields(isinstance(result, tuple), len(outputs)) | {"conditions": conditions}


class AtenGraph(DynamoGraph):
    """The graph after decomposition, and where its inputs come from."""

    def __init__(self) -> None:
        super().__init__()
        self._graph: Any = None

    def trace(self, graph: Any, examples: Any) -> Any:
        """A backend of torch.compile that keeps the graph and runs it as it is."""
        from torch._functorch import aot_autograd
        from torch._functorch._aot_autograd.utils import make_boxed_func

        simplified: Any = aot_autograd.aot_module_simplified

        def keep(made: Any, _examples: Any) -> Any:
            if self._graph is not None:
                raise ValueError("the reference is more than one graph")
            self._graph = made
            return make_boxed_func(made.forward)

        self.read(graph, examples)
        return simplified(
            graph,
            examples,
            fw_compiler=keep,
            inference_compiler=keep,
            decompositions=_decompositions(),
            keep_inference_input_mutations=True,
        )

    def fields(self, returns_tuple: bool, outputs: int) -> dict[str, Any]:
        """What is written down, the conditions apart."""
        nodes = list(self._graph.graph.nodes)
        given = [node for node in nodes if node.op == "placeholder"]
        if len(given) != len(self.arguments):  # a token that keeps side effects in their order
            raise ValueError(f"side effects are not covered: {', '.join(_with_effects(nodes))}")
        (end,) = [node for node in nodes if node.op == "output"]
        returned = [one.name for one in end.args[0]]
        updated: dict[str, str] = {}
        kept = []
        for node in nodes:
            if node.op != "call_function":
                continue
            if str(node.target) == "aten.copy_.default" and node.args[0].op == "placeholder":
                updated[node.args[0].name] = node.args[1].name
            elif not _is_size(node):
                kept.append(_node_fields(node))
        return {
            "inputs": [
                {"name": node.name, "source": source, "fact": _fact(node.meta.get("val"))}
                for node, source in zip(given, self.arguments, strict=True)
            ],
            "nodes": kept,
            "outputs": returned[len(returned) - outputs :],
            "sizes": self.sizes(),
            "returns_tuple": returns_tuple,
            "updated": updated,
            "hints": _hints(given),
        }


def _with_effects(nodes: Any) -> list[str]:
    """Operations that are called for more than their results, such as a check that raises."""
    named = [node for node in nodes if "with_effects" in str(node.target)]
    return sorted({str(one) for node in named for one in node.args if "aten" in str(one)})


def _decompositions() -> dict[Any, Any]:
    """Those of Inductor, but products and joins stay as they are."""
    import torch
    import torch._inductor.lowering  # max_pool2d decomposes by it, unimported
    from torch._inductor.decomposition import select_decomp_table

    found = dict(select_decomp_table())
    for name in _KEPT_WHOLE:
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            found.pop(getattr(packet, overload), None)
    return found


def _hints(given: Any) -> dict[str, int]:
    """The values of sizes in the task's own workload."""
    import torch

    found: dict[str, int] = {}
    for node in given:
        value = node.meta.get("val")
        for size in value.shape if isinstance(value, torch.Tensor) else (value,):
            if isinstance(size, torch.SymInt) and size.node.hint is not None:
                found[_size_text(size)] = int(size.node.hint)
    return found


def _node_fields(node: Any) -> dict[str, Any]:
    value = node.meta.get("val")
    facts = [_fact(one) for one in value] if isinstance(value, tuple | list) else [_fact(value)]
    return {
        "name": node.name,
        "op": str(node.target) if "getitem" not in str(node.target) else "getitem",
        "args": [_argument(one) for one in node.args],
        "kwargs": {name: _argument(one) for name, one in node.kwargs.items()},
        "facts": facts,
    }


def _is_size(node: Any) -> bool:
    import torch

    return isinstance(node.meta.get("val"), torch.SymInt | torch.SymFloat | torch.SymBool | int)


def _argument(value: Any) -> Any:
    import torch

    match value:
        case torch.fx.Node():
            held = value.meta.get("val")
            if isinstance(held, torch.Tensor | tuple | list):
                return {"node": value.name}
            return {"size": _size_text(held)}
        case list() | tuple():
            return [_argument(one) for one in value]
        case torch.dtype():
            return {"dtype": _short(value)}
        case float() if not math.isfinite(value):
            return {"float": str(value)}
        case bool() | int() | float() | str() | None:
            return value
    return None  # devices, layouts, memory formats: no part of what is computed


def _fact(value: Any) -> dict[str, Any] | None:
    import torch

    if not isinstance(value, torch.Tensor):
        return None
    return {"shape": [_size_text(one) for one in value.shape], "dtype": _short(value.dtype)}


def _size_text(value: Any) -> str:
    from torch.utils._sympy.printers import PythonPrinter

    node = getattr(value, "node", None)
    return str(value) if node is None else str(PythonPrinter().doprint(node.expr))


def _short(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
