"""InductorModule: the module that Inductor writes, read as kernels and the function around them.

The rule: the text is parsed, never run. Names of Inductor's runtime are replaced by torch's public
ones; a name that has no such replacement is a ValueError that names it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.python_tree import expression_tree, module_tree

_ENTRY = re.compile(r'(extern\s+"C"\s+void\s+)kernel(\s*\()')
_DROPPED = frozenset({"assert_alignment"})
_PROVIDED = frozenset({"torch", "LIB", "require_layout", "aten", "inf", "nan", "math"})
_LIBRARY = frozenset({"mm", "addmm", "bmm", "baddbmm", "convolution"})


@dataclass(frozen=True)
class CppKernel:
    """One C++ function of the module."""

    name: str
    types: tuple[str, ...]  # of its arguments, in C++
    source: str

    @property
    def ctypes(self) -> tuple[str, ...]:
        """Its arguments' types for ctypes."""
        return tuple(_ctype(one) for one in self.types)


@dataclass(frozen=True)
class InductorModule:
    """Kernels, and `call` rewritten to use nothing of Inductor's."""

    kernels: tuple[CppKernel, ...]
    call: str
    library_calls: tuple[str, ...]


def inductor_module(text: str) -> InductorModule:
    """Read Inductor's text."""
    tree = module_tree(text)
    kernels = {one.name: one for one in _kernels(tree)}
    call = call_function(tree)
    rewritten = _Rewritten(kernels)
    call = rewritten.visit(call)
    unknown = sorted(free_names(call) - _PROVIDED - set(dir(builtins)))
    if unknown:
        raise ValueError(f"Inductor's source needs {', '.join(unknown)} of its own runtime")
    return InductorModule(
        kernels=tuple(kernels.values()),
        call=ast.unparse(ast.fix_missing_locations(call)),
        library_calls=tuple(dict.fromkeys(rewritten.library_calls)),
    )


def _kernels(tree: ast.Module) -> Iterator[CppKernel]:
    """`NAME = async_compile.cpp_pybinding([types], source)`."""
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(attr="cpp_pybinding"), args=[types, ast.Constant(source)]
                ),
            ):
                renamed, found = _ENTRY.subn(rf"\g<1>{name}\g<2>", str(source))
                if found != 1:
                    raise ValueError(f"the C++ of {name} has no entry called `kernel`")
                yield CppKernel(name, tuple(ast.literal_eval(types)), renamed)


def call_function(tree: ast.Module) -> ast.FunctionDef:
    """The function that allocates and launches, without a `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "call":
            node.args.args = [one for one in node.args.args if one.arg != "self"]
            return node
    raise ValueError("Inductor's module has no function `call`")


class _Rewritten(ast.NodeTransformer):
    """Inductor's runtime in torch's public names, kernels by address."""

    def __init__(self, kernels: dict[str, CppKernel]) -> None:
        self._kernels = kernels
        self.library_calls: list[str] = []

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in _DROPPED:
                return None
            case ast.Call(func=ast.Attribute(value=ast.Name(id="args"), attr="clear")):
                return None
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id="empty_strided_cpu"):
                node.func = dotted("torch.empty_strided")
                node.keywords = [ast.keyword("dtype", node.args.pop())]
            case ast.Name(id="assert_size_stride"):
                node.func, node.args = ast.Name("require_layout", ast.Load()), node.args[:3]
            case ast.Name(id="reinterpret_tensor"):
                return as_strided_call(node)
            case ast.Name(id=name) if name in self._kernels:
                return _launch(self._kernels[name], node)
            case ast.Attribute(value=ast.Name(id="extern_kernels"), attr=name):
                if name not in _LIBRARY:
                    raise ValueError(f"Inductor calls extern_kernels.{name} of its own runtime")
                self.library_calls.append(name)
                node.func = dotted(f"torch.{name}")
            case ast.Attribute() if ast.unparse(node.func).startswith(("torch.ops.", "aten.")):
                self.library_calls.append(ast.unparse(node.func))
        return node


def _launch(kernel: CppKernel, node: ast.Call) -> ast.Call:
    """`kernel(buf0, s0)` as `LIB.kernel(buf0.data_ptr(), s0)`."""
    if len(kernel.types) != len(node.args):
        raise ValueError(f"{kernel.name} is called with {len(node.args)} arguments")
    given = [
        ast.Call(ast.Attribute(value, "data_ptr", ast.Load()), [], []) if "*" in kind else value
        for kind, value in zip(kernel.types, node.args, strict=True)
    ]
    return ast.Call(dotted(f"LIB.{kernel.name}"), given, [])


def as_strided_call(node: ast.Call) -> ast.Call:
    """Offsets of Inductor's are relative to the tensor, those of torch to its storage."""
    tensor, size, stride, offset = node.args
    first = ast.Call(ast.Attribute(tensor, "storage_offset", ast.Load()), [], [])
    place = ast.BinOp(first, ast.Add(), offset)
    return ast.Call(ast.Attribute(tensor, "as_strided", ast.Load()), [size, stride, place], [])


def dotted(name: str) -> ast.expr:
    """A name with dots as an expression."""
    return expression_tree(name).body


def _ctype(kind: str) -> str:
    if "*" in kind:
        return "c_void_p"
    words = {"int64_t": "c_int64", "int32_t": "c_int32", "float": "c_float", "double": "c_double"}
    plain = kind.replace("const", "").strip()
    if plain not in words:
        raise ValueError(f"an argument of C++ type {kind} cannot be handed over")
    return words[plain]


def free_names(call: ast.FunctionDef) -> set[str]:
    """Names that a function reads and does not bind."""
    names = [node for node in ast.walk(call) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - bound - {one.arg for one in call.args.args}
