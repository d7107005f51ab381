"""InductorProcess: the process in which a task's reference is compiled, and what it answers.

    python -m assay.generators.inductor_process FOLDER [DEVICE]

reads `FOLDER/task.py` and the name of its class in `FOLDER/entry`, and writes `FOLDER/answer.json`:
a `CompiledReference`. Torch compiles with sizes left open, so one source serves many shapes.

The rule: the reference runs here and nowhere else of this room; the caller only reads text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from typing import Any

from assay.generators.dynamo_source import constant_conditions


@dataclass(frozen=True)
class CompiledReference:
    """What Inductor wrote, and how its `call` is to be called."""

    module: str  # the text of Inductor's module
    arguments: tuple[str, ...]  # where each argument of `call` comes from, in Dynamo's words
    tensors: tuple[str, ...]  # the dtype of each argument, empty where it is a size
    conditions: tuple[str, ...]  # on the sizes, in Python
    sizes: tuple[tuple[str, str], ...]  # each name of a size, and where it comes from
    flags: tuple[str, ...]  # of the C++ compiler
    returns_tuple: bool
    updates_inputs: bool


def read_answer(path: Path) -> CompiledReference:
    """The answer of the process; a missing or broken one is a ValueError."""
    fields = json.loads(path.read_text(encoding="utf-8"))
    if "reason" in fields:
        raise ValueError(fields["reason"])
    return CompiledReference(**{name: _frozen(value) for name, value in fields.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def main(folder: Path, device: str = "cpu") -> int:
    """Compile, and write the answer or the reason why there is none."""
    try:
        found = asdict(compiled(folder / "task.py", (folder / "entry").read_text(), device))
    except Exception as error:  # whatever a compiler raises is the reason why there is no source
        first = (str(error).strip().splitlines() or [""])[0]
        found = {"reason": f"{type(error).__name__}: {first}"}
    (folder / "answer.json").write_text(json.dumps(found), encoding="utf-8")
    return 0


def compiled(path: Path, entry: str, device: str = "cpu") -> CompiledReference:
    """Compile the class of the module at `path` for a device."""
    import torch
    from torch._inductor.utils import run_and_get_code

    task = imported_task(path)
    torch.manual_seed(0)
    model = getattr(task, entry)(*task.get_init_inputs()).eval().to(device)
    inputs = [one.to(device) if hasattr(one, "to") else one for one in task.get_inputs()]
    versions = [one._version for one in inputs if isinstance(one, torch.Tensor)]
    seen = DynamoGraph()
    leave_sizes_open()
    with torch.no_grad():
        made = torch.compile(model, backend=seen.compile, dynamic=True, fullgraph=True)
        result, texts = run_and_get_code(made, *inputs)
    if len(texts) != 1:
        raise ValueError(f"Inductor wrote {len(texts)} modules, not one")
    return CompiledReference(
        module=texts[0],
        arguments=seen.arguments,
        tensors=seen.tensors,
        conditions=seen.conditions(model, inputs),
        sizes=seen.sizes(),
        flags=_compiler_flags() if device == "cpu" else (),
        returns_tuple=isinstance(result, tuple),
        updates_inputs=versions
        != [one._version for one in inputs if isinstance(one, torch.Tensor)],
    )


def imported_task(path: Path) -> Any:
    """The module at a path."""
    spec = spec_from_file_location("task", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} is no Python module")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leave_sizes_open() -> None:
    """No size is fixed because it is a parameter's, or because it equals another one."""
    import torch._dynamo.config
    import torch._inductor.config
    import torch.fx.experimental._config as symbols

    torch._dynamo.config.force_parameter_static_shapes = False
    torch._dynamo.config.force_nn_module_property_static_shapes = False
    torch._dynamo.config.allow_unspec_int_on_nn_module = True
    torch._dynamo.config.specialize_float = True
    torch._dynamo.config.assume_static_by_default = False
    torch._inductor.config.cpp.dynamic_threads = True
    torch._inductor.config.fx_graph_cache = False
    symbols.use_duck_shape = False


class DynamoGraph:
    """The graph that Dynamo hands to Inductor: its arguments, and the conditions on their sizes."""

    def __init__(self) -> None:
        self.arguments: tuple[str, ...] = ()
        self.tensors: tuple[str, ...] = ()
        self._shapes: Any = None
        self._constants: tuple[str, ...] = ()

    def compile(self, graph: Any, examples: Any) -> Any:
        """A backend of torch.compile."""
        from torch._inductor.compile_fx import compile_fx

        self.read(graph, examples)
        return compile_fx(graph, examples)

    def read(self, graph: Any, examples: Any) -> None:
        """Keep where its arguments come from and what is known of their sizes."""
        import torch
        from torch._guards import TracingContext

        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.arguments = tuple(_source_name(node.meta["grapharg"].source) for node in nodes)
        self.tensors = tuple(
            str(one.dtype) if isinstance(one, torch.Tensor) else "" for one in examples
        )
        guards = TracingContext.get().guards_context.dynamo_guards
        named = [one for one in guards if one.create_fn_name() == "CONSTANT_MATCH"]
        self._constants = tuple(dict.fromkeys(str(one.name) for one in named))
        mode = TracingContext.get().fake_mode
        self._shapes = mode.shape_env if mode is not None else None

    def conditions(self, model: Any, inputs: Sequence[Any]) -> tuple[str, ...]:
        """What sizes and constants must satisfy for the source to be right.

        Model and inputs are those that were traced.
        """
        from torch.utils._sympy.printers import PythonPrinter

        given = signature(type(model).forward).bind(model, *inputs)
        given.apply_defaults()
        found = constant_conditions(self._constants, given.arguments)
        if self._shapes is None:
            return tuple(found)
        printer = PythonPrinter()
        for symbol, bounds in self._shapes.var_to_range.items():
            if bounds.lower.is_integer and bounds.lower > 0:
                found.append(f"{symbol} >= {bounds.lower}")
        for guard in self._shapes.guards:
            found.append(printer.doprint(guard.expr))
        return tuple(dict.fromkeys(found))

    def sizes(self) -> tuple[tuple[str, str], ...]:
        """The sizes that conditions may name, by the input they are a size of."""
        if self._shapes is None:
            return ()
        found = self._shapes.var_to_sources.items()
        return tuple((str(symbol), _source_name(sources[0])) for symbol, sources in found)


def _source_name(source: Any) -> str:
    """Where a value comes from: `L['x']`, `L['x'].size()[0]`."""
    return str(source.name() if callable(source.name) else source.name)


def _compiler_flags() -> tuple[str, ...]:
    """Those that Inductor hands to the C++ compiler, folders and libraries left out."""
    from torch._inductor.cpp_builder import CppTorchOptions
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    options = CppTorchOptions(vec_isa=pick_vec_isa())
    defined = [f"-D{one.strip()}" for one in options.get_definitions()]
    flags = [f"-{one}" for one in options.get_cflags()]
    return (*(one for one in flags if not one.startswith(("-W", "-pedantic", "-g"))), *defined)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
