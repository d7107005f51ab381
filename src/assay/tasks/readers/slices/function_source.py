"""FunctionSource: a task's source from the text of a reference and the slice of a call.

The rule: the reference's text stands first and as it is; what is added comes after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from assay.tasks.readers.slices.call_slice import CallSlice

_LEFT_OUT = frozenset({"data_utils", "performance_utils", "sys", "os", "json"})

_ADDED = """\
{reference}


# Added by the reader: the call of the function above that the task asks for.
{imports}{constants}{record}

{model}

def get_inputs():
{statements}    return [{inputs}]


def get_init_inputs():
    return [{settings}]
"""


def function_source(
    reference: str, imports: Iterable[ast.stmt], found: CallSlice, helpers: Iterable[ast.stmt] = ()
) -> str:
    """The module of the task."""
    lines = ["import torch", *(ast.unparse(node) for node in imports)]
    lines = list(dict.fromkeys(lines))
    added = "".join(f"\n{ast.unparse(node)}\n" for node in helpers)
    return _ADDED.format(
        reference=reference.strip("\n"),
        imports="".join(f"{line}\n" for line in lines) + added + "\n",
        constants="".join(f"{ast.unparse(node)}\n" for node in found.constants),
        record=found.call.record(),
        model=found.call.module_class("Model"),
        statements="".join(_indented(ast.unparse(node)) for node in found.statements),
        inputs=", ".join(ast.unparse(node) for node in found.inputs),
        settings=", ".join(ast.unparse(node) for node in found.settings),
    )


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def usable_imports(tree: ast.Module) -> list[ast.stmt]:
    """Imports of a test but those of its benchmark's own modules."""
    found: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [a for a in node.names if a.name.split(".")[0] not in _LEFT_OUT]
            found += [ast.Import([name]) for name in names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            if (node.module or "").split(".")[0] in _LEFT_OUT:
                continue
            found.append(node)
    return found


def defined_names(tree: ast.Module) -> frozenset[str]:
    """What the module binds at its top level."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
            found |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
    return frozenset(found)


def parameters_of(tree: ast.Module, function: str) -> list[str]:
    """The positional parameters of a top-level function, or of a class's `forward`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    return []
