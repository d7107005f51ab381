"""DefinitionModule: a task's source from a definition and one of its workloads.

The rule: axes are names of the module, so that an expression over them follows when one is varied;
constraints are asserted where inputs are made, so that no shape is asked that breaks them.
"""

from __future__ import annotations

import ast
import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.python_tree import expression_tree
from assay.tasks.readers.definitions.definition import Definition, TensorSpec
from assay.tasks.readers.definitions.definition_workload import DefinitionWorkload, sizes_of
from assay.tasks.readers.definitions.random_values import draw
from assay.tasks.readers.definitions.safetensors_file import found_at, stored_tensor
from assay.tasks.readers.definitions.size_expression import names_in, parsed, renamed
from assay.tasks.readers.function_call import FunctionCall
from assay.tasks.readers.slices.function_source import defined_names
from assay.tasks.readers.split_files.triton_reference import with_device

OUTPUTS = "OUTPUT_MEMORY"  # the literal with the expression of each output's memory
IN_ORDER = """\
def in_order(made):
    \"\"\"Outputs as a tuple, or the only one.\"\"\"
    if isinstance(made, dict):
        made = tuple(made[name] for name in {names!r})
    if isinstance(made, (tuple, list)) and len(made) == 1:
        made = made[0]
    return made
"""

_MODULE = """\
{reference}


# Added by the reader: the workload {uuid}.
import base64

import torch

{axes}
{record}{outputs} = {memory!r}
CONTIGUOUS_INPUTS = True  # a definition gives shapes and types of tensors, no strides


{in_order}

{model}

def get_inputs():
{statements}    return [{inputs}]


def get_init_inputs():
    return [{settings}]
"""
_STORED = (
    "torch.frombuffer(bytearray(base64.b64decode({content!r})), dtype=torch.{dtype})"
    ".reshape({shape})"
)


@dataclass(frozen=True)
class Parts:
    """What the source of one workload is put together from."""

    definition: Definition
    workload: DefinitionWorkload
    folders: tuple[Path, ...]  # where stored inputs may lie
    names: Mapping[str, str]  # of axes, as the module calls them

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        """Inputs that are tensors; the others are settings of the constructor."""
        return tuple(spec for spec in self.definition.inputs if spec.shape is not None)

    @property
    def numbers(self) -> tuple[TensorSpec, ...]:
        """Inputs that are numbers of Python."""
        return tuple(spec for spec in self.definition.inputs if spec.shape is None)

    def shape(self, spec: TensorSpec) -> tuple[str, ...]:
        """Of a tensor, in names of the module."""
        return tuple(renamed(part, self.names) for part in spec.shape or ())


def module_source(
    definition: Definition, workload: DefinitionWorkload, folders: tuple[Path, ...]
) -> str:
    """The module; UsageError where the workload cannot be made."""
    sizes = sizes_of(definition, workload)
    taken = defined_names(definition.tree) | {spec.name for spec in definition.inputs}
    names = {name: f"{name}_" if name in taken else name for name in sizes}
    parts = Parts(definition, workload, folders, names)
    tensors, numbers = parts.tensors, parts.numbers
    if not tensors:
        raise UsageError("none of its inputs is a tensor")
    source = _MODULE.format(
        reference=definition.reference.strip("\n"),
        uuid=workload.uuid or "without an id",
        axes=_axes(definition, sizes, names),
        record=call_of(definition).record(),
        outputs=OUTPUTS,
        memory=_memory(definition, sizes),
        in_order=IN_ORDER.format(names=[spec.name for spec in definition.outputs]),
        model=call_of(definition).module_class("Model"),
        statements="".join(f"    {line}\n" for line in _statements(parts)),
        inputs=", ".join(spec.name for spec in tensors),
        settings=", ".join(repr(_number(parts, spec)) for spec in numbers),
    )
    return with_device(source) if _launches_triton(definition.tree) else source


def _launches_triton(tree: ast.Module) -> bool:
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    return any(alias.name.startswith("triton") for node in imports for alias in node.names)


def call_of(definition: Definition) -> FunctionCall:
    """The call of the reference; numbers are settings."""
    keyed = definition.function != "run"  # other dialects order their parameters freely
    given = (("self." if spec.shape is None else "") + spec.name for spec in definition.inputs)
    pairs = zip(definition.inputs, given, strict=True)
    arguments = ", ".join(f"{spec.name}={text}" if keyed else text for spec, text in pairs)
    return FunctionCall(
        function=definition.function,
        expression=f"in_order({definition.function}({arguments}))",
        inputs=tuple(spec.name for spec in definition.inputs if spec.shape is not None),
        settings=tuple(spec.name for spec in definition.inputs if spec.shape is None),
    )


def _axes(definition: Definition, sizes: Mapping[str, int], names: Mapping[str, str]) -> str:
    """One line for each axis; one that a constraint fixes follows the others."""
    follows = dict(definition.expressions)
    for constraint in definition.constraints:
        match parsed(constraint):
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[other]):
                text = ast.unparse(other)
                free = names_in(text) and names_in(text) <= sizes.keys() - {name} - follows.keys()
                if name in definition.variables and name not in follows and free:
                    follows[name] = text
    lines = [f"{names[n]} = {sizes[n]}" for n in sizes if n not in follows]
    lines += [f"{names[n]} = int({renamed(text, names)})" for n, text in follows.items()]
    return "".join(f"{line}\n" for line in lines)


def _memory(definition: Definition, sizes: Mapping[str, int]) -> dict[str, str]:
    """The expression that makes each output's memory from the inputs."""
    tensors = [spec for spec in definition.inputs if spec.shape is not None]
    seen: dict[str, str] = {}
    for spec in tensors:
        for place, part in enumerate(spec.shape or ()):
            seen.setdefault(part, f"{spec.name}.shape[{place}]")
    known = {name: f"int({renamed(text, seen)})" for name, text in definition.expressions.items()}
    known |= {name: seen[name] for name in sizes if name in seen}
    known |= {name: str(size) for name, size in sizes.items() if name not in known}
    made: dict[str, str] = {}
    for spec in definition.outputs:
        parts = [_in_terms(part, known) for part in spec.shape or ()]
        shape = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        dtype = f"dtype=torch.{spec.dtype}"
        made[spec.name] = f"torch.zeros({shape}, {dtype}, device={tensors[0].name}.device)"
    return made


def _in_terms(part: str, known: Mapping[str, str]) -> str:
    """An expression over axes with each axis replaced by what it is made from."""

    class Replaced(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return expression_tree(known.get(node.id, node.id)).body

    return ast.unparse(Replaced().visit(parsed(part)))


def _statements(parts: Parts) -> list[str]:
    """Those of `get_inputs`, which make every tensor under its name."""
    told = parts.workload.inputs
    kinds = {spec.name: told.get(spec.name, {}).get("type") for spec in parts.tensors}
    if "custom" in kinds.values():
        lines = _custom(parts)
    else:
        lines = [f"{spec.name} = {_tensor(parts, spec)}" for spec in parts.tensors]
    usable = parts.names.keys() | {spec.name for spec in parts.tensors}
    for constraint in parts.definition.constraints:
        if names_in(constraint) <= usable:
            lines.append(f"assert {renamed(constraint, parts.names)}")
    return lines


def _custom(parts: Parts) -> list[str]:
    function = parts.definition.custom_inputs
    if function not in defined_names(parts.definition.tree):
        raise UsageError(f"its inputs are custom, and the reference has no function '{function}'")
    sizes = [f"{name!r}: {module}" for name, module in parts.names.items()]
    sizes += [
        f"{spec.name!r}: {_number(parts, spec)!r}"
        for spec in parts.numbers
        if parts.workload.inputs.get(spec.name, {}).get("type") == "scalar"
    ]
    lines = [f"custom = {function}({{{', '.join(sizes)}}}, torch.device('cpu'))"]
    return lines + [f"{spec.name} = custom[{spec.name!r}]" for spec in parts.tensors]


def _tensor(parts: Parts, spec: TensorSpec) -> str:
    told = parts.workload.inputs.get(spec.name)
    kind = (told or {}).get("type")
    if told is not None and kind == "safetensors":
        stored = stored_tensor(found_at(str(told["path"]), parts.folders), str(told["tensor_key"]))
        content = base64.b64encode(stored.content).decode()
        return _STORED.format(content=content, dtype=stored.dtype, shape=stored.shape)
    if kind == "random":
        return draw(spec, parts.shape(spec))
    raise UsageError(f"the workload does not say how the tensor '{spec.name}' is made")


def _number(parts: Parts, spec: TensorSpec) -> Any:
    told = parts.workload.inputs.get(spec.name) or {}
    value = told.get("value")
    if told.get("type") == "scalar" and isinstance(value, bool | int | float):
        return value
    raise UsageError(f"the workload gives no value of the number '{spec.name}'")
