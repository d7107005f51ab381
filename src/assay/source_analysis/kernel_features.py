"""Kernel features: what a candidate's source shows of its representation and its hardware use.

The rule: a feature is code that is parsed, with its place; never a word in a comment, and never an
import that nothing uses. Which level a feature shows is not decided here (`scores.rubric`).

* no kernel of its own: the library calls it is composed of;
* a kernel made by Triton, cuTile, Numba, Warp, Taichi, TileLang, Helion, Pallas, OpenCL: a tile
  language, because a compiler decides the layout;
* CuTe in C++ or Python, Gluon: a layout language;
* C++ and CUDA C++: plain code, and instructions where they are written out: inline assembly,
  wmma, SIMD, shuffles.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts
from assay.python_tree import module_tree
from assay.source_analysis.cpp.cpp_tokens import Token, looks_like_cpp, tokenize
from assay.source_analysis.tables.operation_names import OpRole, base_role
from assay.source_analysis.tables.python_kernels import makes_kernel

_MOST_CALLS = 8
_ASSEMBLY = ("asm", "__asm__", "__asm")
_SIMD = r"^_mm\d*_|^v(ld|st|add|mul|fma|mla|dup|get)\w*q?_\w+$|^sv\w+_[fsu]\d+"
_CPP = tuple(
    (kind, re.compile(pattern), name)
    for kind, pattern, name in (
        (FeatureKind.INSTRUCTIONS, r"^(asm|__asm__|__asm)$", "inline assembly"),
        (FeatureKind.INSTRUCTIONS, _SIMD, "SIMD intrinsics"),
        (FeatureKind.INSTRUCTIONS, r"^__(shfl|ldg|hfma|dp4a|mma|nv)\w*", "instruction intrinsics"),
        (FeatureKind.INSTRUCTIONS, r"^(wmma|mma_sync|nvcuda)$", "wmma intrinsics"),
        (FeatureKind.INSTRUCTIONS, r"^__pipeline_", "pipeline intrinsics"),
        (FeatureKind.LAYOUT_LANGUAGE, r"^(cute|cutlass)$", "CuTe"),
        (FeatureKind.WARPGROUP, r"wgmma|warpgroup_arrive|^SM90_\d+x\d+x\d+_", "wgmma"),
        (FeatureKind.TMA, r"cp_async_bulk|^CUtensorMap|cp\.async\.bulk|^SM90_TMA", "TMA"),
        (FeatureKind.TENSOR_MEMORY, r"tcgen05", "tcgen05"),
        (FeatureKind.CLUSTER, r"cluster_dims|^cluster_group|barrier\.cluster", "clusters"),
        (FeatureKind.ASYNC_COPY, r"^(__pipeline_|cp_async_(?!bulk)|memcpy_async)", "cp.async"),
        (FeatureKind.ASYNC_COPY, r"^cuda_pipeline|cp\.async\.(ca|cg|commit|wait)", "cp.async"),
        (FeatureKind.ASYNC_COPY, r"^SM80_CP_ASYNC|cp\.async(?!\.bulk)", "cp.async"),
        (FeatureKind.TENSOR_CORES, r"^(wmma|mma_sync|nvcuda)$", "wmma"),
        (FeatureKind.TENSOR_CORES, r"(?<!w)mma\.sync|^SM(75|80|89)_\d+x\d+x\d+_", "mma.sync"),
        (FeatureKind.PREFETCH, r"^(_mm_prefetch|__builtin_prefetch)$", "prefetch"),
        (FeatureKind.PREFETCH, r"^(_tile_\w+|_mm512_dpbf16\w*)", "matrix extensions"),
        (FeatureKind.SIMD, _SIMD, "SIMD intrinsics"),
    )
)
_TITLES = {
    "triton": "Triton", "numba": "Numba", "tilelang": "TileLang", "warp": "Warp",
    "taichi": "Taichi", "helion": "Helion", "jax": "Pallas", "pyopencl": "OpenCL",
    "cuda": "cuTile",
}  # fmt: skip
_NATIVE_MAKERS = frozenset(("cupy", "cupyx", "pycuda", "torch"))  # they compile a text given them
_TRITON = (
    (FeatureKind.TMA, re.compile(r"^(make_tensor_descriptor|TensorDescriptor)$"), "descriptors"),
    (FeatureKind.TENSOR_CORES, re.compile(r"^(dot|dot_scaled)$"), "tl.dot"),
)
_NO_LAYERS = frozenset(
    """Module Parameter ParameterList ParameterDict ModuleList ModuleDict Sequential Buffer
    UninitializedParameter""".split()
)
_NO_COMPUTATION = re.compile(
    r"torch\.(?:utils|cuda|autograd|jit|library|backends|ops|classes|Tensor|device|dtype|Size|"
    r"nn\.init|compiler|_dynamo|testing|version|profiler|iinfo|finfo|Generator)\b"
)


@dataclass(frozen=True, slots=True)
class _NativeText:
    """C++ or CUDA of a candidate, and where it begins."""

    text: str
    path: str
    line: int
    spread: bool  # its lines are lines of the file

    def where(self, line: int) -> str:
        return f"{self.path}:{self.line + line - 1 if self.spread else self.line}"


def source_facts(candidate: Candidate) -> KernelFacts:
    """What the texts alone show; no binary is read."""
    trees = {f.path: t for f in candidate.sources if (t := _parsed(f.path, f.text)) is not None}
    native = [
        _NativeText(file.text, file.path, 1, spread=True)
        for file in candidate.sources
        if not file.path.endswith(".py")
    ]
    native += [text for path, tree in trees.items() for text in _strings(path, tree)]
    found = [feature for text in native for feature in _of_native(text)]
    found += [one for path, tree in trees.items() for one in _PythonFile(path, tree).features()]
    own = any(one.kind in _OWN for one in found)
    if not own:
        files = (_PythonFile(path, tree) for path, tree in trees.items())
        found += list(_first(one for file in files for one in file.library_calls()))
    return KernelFacts(features=tuple(_once(found)), own_kernels=own)


_OWN = frozenset(
    (
        FeatureKind.TILE_LANGUAGE,
        FeatureKind.LAYOUT_LANGUAGE,
        FeatureKind.PLAIN,
        FeatureKind.INSTRUCTIONS,
    )
)


def _parsed(path: str, text: str) -> ast.Module | None:
    if not path.endswith(".py"):
        return None
    try:
        return module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _strings(path: str, tree: ast.Module) -> Iterator[_NativeText]:
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.Constant) and isinstance(text, str) and looks_like_cpp(text):
            spread = (node.end_lineno or node.lineno) > node.lineno
            yield _NativeText(text, path, node.lineno, spread)


def _once(features: Iterable[Feature]) -> Iterator[Feature]:
    """The first of each kind and name; library calls are told apart by name."""
    seen: set[tuple[FeatureKind, str]] = set()
    for one in features:
        if (one.kind, one.name) not in seen:
            seen.add((one.kind, one.name))
            yield one


def _first(features: Iterable[Feature]) -> list[Feature]:
    return list(_once(features))[:_MOST_CALLS]


def _feature(kind: FeatureKind, name: str, where: str) -> Feature:
    return Feature(kind=kind, name=name, origin=FeatureOrigin.SOURCE, where=where)


def _of_native(text: _NativeText) -> Iterator[Feature]:
    """Plain code, and every pattern that a word of it or a string of inline assembly shows."""
    tokens = tokenize(text.text)
    if not tokens:
        return
    launched = next((token for token in tokens if token.text == "__global__"), None)
    name = "CUDA C++" if launched else "C++"
    yield _feature(FeatureKind.PLAIN, name, text.where((launched or tokens[0]).line))
    words = [token for token in tokens if token.kind == "word"]
    words += _assembly(tokens)
    for kind, pattern, title in _CPP:
        shown = next((word for word in words if pattern.search(word.text)), None)
        if shown is not None:
            yield _feature(kind, title, text.where(shown.line))


def _assembly(tokens: list[Token]) -> list[Token]:
    """Strings inside `asm(...)`."""
    found: list[Token] = []
    for position, token in enumerate(tokens):
        if token.text in _ASSEMBLY:
            near = tokens[position : position + 40]
            found += [item for item in near if item.kind == "string"]
    return found


class _PythonFile:
    """One parsed file: its names resolved through imports and plain assignments."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self._path = path
        self._nodes = list(ast.walk(tree))
        self._names: dict[str, str] = {}
        for node in self._nodes:
            self._note(node)

    def features(self) -> Iterator[Feature]:
        """Kernels by what makes them, and what Triton's functions ask of the hardware."""
        for node in self._nodes:
            for maker in _makers(node):
                name = self._dotted(maker)
                if makes_kernel(name):
                    yield from self._kernel(name, maker.lineno)
        if any(name.partition(".")[0] == "triton" for name in self._names.values()):
            yield from self._triton()

    def library_calls(self) -> Iterator[Feature]:
        """Calls of torch that compute, and the operator for products."""
        for node in self._nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                yield self._at(FeatureKind.LIBRARY, "the operator @", node.lineno)
            elif isinstance(node, ast.Call):
                name = self._dotted(node.func)
                if name.startswith("torch.") and _computes(name):
                    yield self._at(FeatureKind.LIBRARY, name, node.lineno)

    def _kernel(self, name: str, line: int) -> Iterator[Feature]:
        root = name.partition(".")[0]
        if name.startswith("cutlass."):
            yield self._at(FeatureKind.LAYOUT_LANGUAGE, "CuTe", line)
        elif "gluon" in name.split("."):
            yield self._at(FeatureKind.LAYOUT_LANGUAGE, "Gluon", line)
        elif root in _NATIVE_MAKERS:
            yield self._at(FeatureKind.PLAIN, "CUDA C++", line)
        else:
            yield self._at(FeatureKind.TILE_LANGUAGE, _TITLES.get(root, root), line)

    def _triton(self) -> Iterator[Feature]:
        for node in self._nodes:
            if isinstance(node, ast.Attribute):
                for kind, pattern, title in _TRITON:
                    if pattern.search(node.attr):
                        yield self._at(kind, title, node.lineno)

    def _at(self, kind: FeatureKind, name: str, line: int) -> Feature:
        return _feature(kind, name, f"{self._path}:{line}")

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                self._names[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                self._names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], self._dotted(node.value)
            if isinstance(target, ast.Name) and "." in value:
                self._names.setdefault(target.id, value)

    def _dotted(self, node: ast.expr) -> str:
        """The full name of a chain of attributes; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self._names.get(node.id, node.id), *reversed(parts)])


def _makers(node: ast.AST) -> Iterator[ast.expr]:
    """What decorates a function, with or without arguments, and what is called."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for one in node.decorator_list:
            yield one.func if isinstance(one, ast.Call) else one
    elif isinstance(node, ast.Call):
        yield node.func


def _computes(name: str) -> bool:
    base = name.rpartition(".")[2]
    if _NO_COMPUTATION.match(name) or base in _NO_LAYERS:
        return False
    return base[:1].isupper() or base_role(base) is OpRole.COMPUTE
