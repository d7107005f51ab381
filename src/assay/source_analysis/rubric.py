"""Places on the Standard Kernel Rubric that the source shows: R (representation), H (hardware).

The rule: a level is given for a feature found in code that is parsed, never for a word in a
comment,
and each level comes with its reason. How R is decided where the rubric leaves room:

* no kernel of its own: library composition, R1;
* Triton, cuTile, Numba, Warp, Taichi, TileLang, Helion, Pallas: a compiler decides the layout, R2;
* CuTe (C++ or Python): R3. Plain C++ and plain CUDA C++ also R3: the author places every load and
  thread, but the compiler still chooses the instructions;
* inline assembly or PTX, or instruction intrinsics (SIMD on a CPU, mma, shuffles by hand): R4.

H: 1 portable; 2 tensor cores by wmma or mma, and on a CPU SIMD intrinsics; 3 cp.async,
shared-memory
pipelines, and on a CPU prefetch or matrix extensions; 4 wgmma, TMA, tcgen05, clusters. What Triton
decides by itself is in the compiled binary, not in the source: `tl.dot` shows level 2, descriptors
(TMA) level 4.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.verdict import Rubric
from assay.source_analysis.cpp.cpp_tokens import Token, looks_like_cpp, tokenize


@dataclass(frozen=True, slots=True)
class _Feature:
    """A pattern of one token, the level it shows, and what to say."""

    level: int
    pattern: re.Pattern[str]
    reason: str


def _features(*rows: tuple[int, str, str]) -> tuple[_Feature, ...]:
    return tuple(_Feature(level, re.compile(pattern), reason) for level, pattern, reason in rows)


_CPP_R = _features(
    (4, r"^(asm|__asm__|__asm)$", "inline assembly"),
    (4, r"^_mm\d*_|^v(ld|st|add|mul|fma|mla|dup|get)\w*q?_\w+$|^sv\w+_[fsu]\d+", "SIMD intrinsics"),
    (4, r"^__(shfl|ldg|hfma|dp4a|mma|nv)\w*", "instruction intrinsics"),
    (3, r"^(cute|cutlass)$", "CuTe or CUTLASS templates"),
)
_CPP_H = _features(
    (4, r"wgmma|tcgen05|^cp_async_bulk|^CUtensorMap|cluster_dims|^cluster_group|setmaxnreg",
    "Hopper "
        "or newer: wgmma, TMA, tcgen05 or clusters"),
    (3, r"^(__pipeline_|cp_async|memcpy_async)|^cuda_pipeline|cp\.async", "asynchronous copies"),
    (3, r"^(_mm_prefetch|__builtin_prefetch|_tile_\w+|_mm512_dpbf16)", "prefetch or matrix units"),
    (2, r"^(wmma|mma_sync|load_matrix_sync|nvcuda)$|mma\.sync", "tensor cores by wmma or mma"),
    (2, r"^_mm\d*_|^v(ld|st|add|mul|fma|mla|dup)\w*q?_\w+$|^sv\w+_[fsu]\d+", "SIMD intrinsics"),
)  # fmt: skip
_DSL_ROOTS = {
    "triton": "Triton", "numba": "Numba", "tilelang": "TileLang", "warp": "Warp", "taichi":
    "Taichi",
    "helion": "Helion", "jax": "Pallas", "pyopencl": "OpenCL",
}  # fmt: skip
_TRITON_H = _features(
    (
        4,
        r"^(make_tensor_descriptor|_experimental_\w*descriptor\w*|TensorDescriptor)$",
        "TMA descriptors",
    ),
    (3, r"^(async_copy|num_stages)$", "a software pipeline"),
    (2, r"^(dot|dot_scaled)$", "tl.dot, tensor cores"),
)


@dataclass(frozen=True, slots=True)
class _Level:
    level: int
    reason: str


def rubric(candidate: Candidate) -> Rubric:
    """R and H of a candidate, from its text alone."""
    trees = [tree for file in candidate.sources if (tree := _parse(file.path, file.text))]
    native = [file.text for file in candidate.sources if not file.path.endswith(".py")]
    native += [text for tree in trees for text in _texts(tree) if looks_like_cpp(text)]
    tokens = [token for text in native for token in tokenize(text)]
    roots = {root for tree in trees for root in _imported(tree)}
    representation = _best([*_python_r(roots), *_native_r(tokens)]) or _Level(
        1, "library composition"
    )
    hardware = _best([*_native_h(tokens), *_triton_h(trees, roots)]) or _Level(1, "portable code")
    reasons = (
        f"R{representation.level}: {representation.reason}",
        f"H{hardware.level}: {hardware.reason}",
    )
    return Rubric(representation=representation.level, hardware=hardware.level, reasons=reasons)


def _parse(path: str, text: str) -> ast.Module | None:
    if not path.endswith(".py"):
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _best(levels: Iterable[_Level]) -> _Level | None:
    return max(levels, key=lambda level: level.level, default=None)


def _texts(tree: ast.Module) -> list[str]:
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str)]


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[0] for name in names} | {name for name in names if "." in name}


def _python_r(roots: set[str]) -> list[_Level]:
    found = [_Level(2, f"{title} kernels") for root, title in _DSL_ROOTS.items() if root in roots]
    if any(name.startswith(("cutlass.cute", "cutlass")) for name in roots):
        found.append(_Level(3, "CuTe kernels"))
    if any(name.startswith("cuda.tile") for name in roots):
        found.append(_Level(2, "cuTile kernels"))
    return found


def _native_r(tokens: list[Token]) -> list[_Level]:
    if not tokens:
        return []
    launches = any(token.text == "__global__" for token in tokens)
    plain = _Level(3, "plain CUDA C++" if launches else "plain C++")
    return [plain, *_matches(tokens, _CPP_R)]


def _native_h(tokens: list[Token]) -> list[_Level]:
    return _matches(tokens, _CPP_H)


def _matches(tokens: list[Token], features: tuple[_Feature, ...]) -> list[_Level]:
    """Features whose pattern a token of code shows; the text of inline assembly counts as code."""
    words = {token.text for token in tokens if token.kind == "word"} | _assembly(tokens)
    return [
        _Level(feature.level, feature.reason)
        for feature in features
        if any(feature.pattern.search(word) for word in words)
    ]


def _assembly(tokens: list[Token]) -> set[str]:
    """Strings inside `asm(...)`."""
    found: set[str] = set()
    for position, token in enumerate(tokens):
        if token.text in ("asm", "__asm__", "__asm"):
            near = tokens[position : position + 40]
            found |= {item.text for item in near if item.kind == "string"}
    return found


def _triton_h(trees: list[ast.Module], roots: set[str]) -> list[_Level]:
    if "triton" not in roots:
        return []
    names: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                names.add(node.arg)
    return [
        _Level(feature.level, feature.reason)
        for feature in _TRITON_H
        if any(feature.pattern.search(name) for name in names)
    ]
