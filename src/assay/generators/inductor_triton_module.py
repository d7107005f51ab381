"""InductorTritonModule: the module that Inductor writes for a GPU, read as kernels and `call`.

Inductor's decorators choose a configuration when a kernel is first launched; here each kernel is a
plain `@triton.jit` function, launched with a fixed one.

The rule: the text is parsed, never run. A helper of Inductor's runtime that has no replacement here
is a ValueError that names it.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.generators.inductor_module import (
    as_strided_call,
    call_function,
    dotted,
    free_names,
)
from assay.python_tree import module_tree

_PROVIDED = frozenset({"torch", "triton", "require_layout", "aten", "inf", "nan", "math"})
_LIBRARY = frozenset({"mm", "addmm", "bmm", "baddbmm", "convolution"})
_DROPPED = frozenset({"assert_alignment"})
_BLOCKS = {"XBLOCK": 1024, "YBLOCK": 32, "ZBLOCK": 8, "R0_BLOCK": 1024, "R1_BLOCK": 8}
_HELPER = re.compile(r"\btriton_helpers\.(\w+)")

HELPERS = {
    "promote_to_tensor": """
@triton.jit
def promote_to_tensor(x):
    return x + tl.zeros((1,), tl.int1)
""",
    "maximum": """
@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
""",
    "minimum": """
@triton.jit
def minimum(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
""",
    "max2": """
@triton.jit
def larger_of_two(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, larger_of_two)
""",
    "min2": """
@triton.jit
def smaller_of_two(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, smaller_of_two)
""",
    "any": """
@triton.jit
def either(a, b):
    return a | b


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, either)
""",
    "welford_combine": """
@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    gap = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + gap * share, m2_1 + m2_2 + gap * gap * weight_1 * share, weight
""",
    "welford": """
@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)
""",
    "welford_reduce": """
@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        gap = value - mean
        new_weight = weight + 1
        new_mean = mean + gap / new_weight
        new_m2 = m2 + gap * (value - new_mean)
    return new_mean, new_m2, new_weight
""",
}
_NEEDS = {"welford": ("welford_combine",)}


@dataclass(frozen=True)
class TritonKernel:
    """One kernel: its function's text, and the places of its numbers of elements."""

    name: str
    source: str
    arguments: tuple[str, ...]  # without constants of the compiler
    blocks: tuple[str, ...]  # constants of the compiler that a launch sets
    helpers: tuple[str, ...]


@dataclass(frozen=True)
class InductorTritonModule:
    """Kernels, and `call` rewritten to use nothing of Inductor's."""

    kernels: tuple[TritonKernel, ...]
    call: str
    library_calls: tuple[str, ...]

    @property
    def helpers(self) -> str:
        """The text of the functions that kernels share."""
        used = dict.fromkeys(name for one in self.kernels for name in one.helpers)
        names = dict.fromkeys(part for name in used for part in (*_NEEDS.get(name, ()), name))
        return "\n\n".join(HELPERS[name].strip("\n") for name in names)


def inductor_triton_module(text: str) -> InductorTritonModule:
    """Read Inductor's text."""
    tree = module_tree(text)
    kernels = {one.name: one for one in _kernels(tree)}
    rewritten = _RewrittenTriton(kernels)
    call = rewritten.visit(call_function(tree))
    unknown = sorted(free_names(call) - _PROVIDED - set(kernels) - set(dir(builtins)))
    if unknown:
        raise ValueError(f"Inductor's source needs {', '.join(unknown)} of its own runtime")
    return InductorTritonModule(
        kernels=tuple(kernels.values()),
        call=ast.unparse(ast.fix_missing_locations(call)),
        library_calls=tuple(dict.fromkeys(rewritten.library_calls)),
    )


def _kernels(tree: ast.Module) -> Iterator[TritonKernel]:
    """`NAME = async_compile.triton('NAME', source, ...)`."""
    for node in tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(attr="triton"),
                    args=[ast.Constant(), ast.Constant(value=str(source)), *_],
                ),
            ):
                yield _kernel(name, source)


def _kernel(name: str, source: str) -> TritonKernel:
    functions = [one for one in module_tree(source).body if isinstance(one, ast.FunctionDef)]
    if len(functions) != 1:
        raise ValueError(f"the source of {name} has {len(functions)} functions")
    function = functions[0]
    function.name = name
    function.decorator_list = [dotted("triton.jit")]
    constants = [one.arg for one in function.args.args if _is_constant(one)]
    if unknown := sorted(set(constants) - set(_BLOCKS)):
        raise ValueError(f"{name} is given {', '.join(unknown)} by Inductor's runtime")
    text = ast.unparse(ast.fix_missing_locations(function))
    helpers = tuple(dict.fromkeys(_HELPER.findall(text)))
    if missing := [one for one in helpers if one not in HELPERS]:
        raise ValueError(f"{name} calls triton_helpers.{missing[0]} of Inductor's runtime")
    text = _HELPER.sub(r"\1", text).replace("tl_math.", "tl.math.")
    plain = tuple(one.arg for one in function.args.args if one.arg not in constants)
    return TritonKernel(name, text, plain, tuple(constants), helpers)


def _is_constant(argument: ast.arg) -> bool:
    return argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)


class _RewrittenTriton(ast.NodeTransformer):
    """Inductor's runtime in torch's public names, kernels by plain launches."""

    def __init__(self, kernels: dict[str, TritonKernel]) -> None:
        self._kernels = kernels
        self.library_calls: list[str] = []

    def visit_With(self, node: ast.With) -> object:
        """`with torch.cuda._DeviceGuard(0)`: the device is that of the inputs."""
        self.generic_visit(node)
        return node.body

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Streams are the current one."""
        if "get_raw_stream" in ast.unparse(node.value):
            return None
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Statements of Inductor's own runtime are left out."""
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in _DROPPED:
                return None
            case ast.Call(func=ast.Attribute(value=ast.Name(id="args"), attr="clear")):
                return None
            case ast.Call(func=func) if ast.unparse(func) == "torch.cuda.set_device":
                return None
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Allocations, views, launches and library calls in public names."""
        self.generic_visit(node)
        match node.func:
            case ast.Name(id="empty_strided_cuda"):
                node.func = dotted("torch.empty_strided")
                dtype = node.args.pop()
                node.keywords = [
                    ast.keyword("dtype", dtype),
                    ast.keyword("device", dotted("'cuda'")),
                ]
            case ast.Name(id="assert_size_stride"):
                node.func, node.args = dotted("require_layout"), node.args[:3]
            case ast.Name(id="reinterpret_tensor"):
                return as_strided_call(node)
            case ast.Attribute(value=ast.Name(id=name), attr="run") if name in self._kernels:
                return _launch(self._kernels[name], node)
            case ast.Attribute(value=ast.Name(id="extern_kernels"), attr=name):
                if name not in _LIBRARY:
                    raise ValueError(f"Inductor calls extern_kernels.{name} of its own runtime")
                self.library_calls.append(name)
                node.func = dotted(f"torch.{name}")
            case ast.Attribute() if ast.unparse(node.func).startswith(("torch.ops.", "aten.")):
                self.library_calls.append(ast.unparse(node.func))
        return node


def _launch(kernel: TritonKernel, node: ast.Call) -> ast.Call:
    """`kernel.run(buf0, n, stream=stream0)` as `kernel[grid](buf0, n, XBLOCK=1024)`."""
    if len(kernel.arguments) != len(node.args):
        raise ValueError(f"{kernel.name} is called with {len(node.args)} arguments")
    given = dict(zip(kernel.arguments, node.args, strict=True))
    blocks = {name: _block(kernel, name) for name in kernel.blocks}
    grid = []
    for letter in "xyz":
        if f"{letter}numel" in given and f"{letter.upper()}BLOCK" in blocks:
            count = ast.unparse(given[f"{letter}numel"])
            grid.append(f"triton.cdiv({count}, {blocks[f'{letter.upper()}BLOCK']})")
        elif f"{letter}numel" in given:
            grid.append(ast.unparse(given[f"{letter}numel"]))
    place = dotted(f"({', '.join(grid)},)")
    launch = ast.Subscript(ast.Name(kernel.name, ast.Load()), place, ast.Load())
    constants = [ast.keyword(name, ast.Constant(value)) for name, value in blocks.items()]
    return ast.Call(launch, node.args, [*constants, ast.keyword("num_warps", ast.Constant(4))])


def _block(kernel: TritonKernel, name: str) -> int:
    """Rows of folds are one a program; tiles of two dimensions are 32 by 32."""
    if name == "XBLOCK" and any(one.startswith("R") for one in kernel.blocks):
        return 1
    if name == "XBLOCK" and any(one.startswith("r0") for one in kernel.arguments):
        return 1
    if name == "XBLOCK" and "YBLOCK" in kernel.blocks:
        return 32
    return _BLOCKS[name]
