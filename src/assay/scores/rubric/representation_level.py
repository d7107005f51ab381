"""Representation level: R, from how the kernels are written.

    R1  no kernel of its own: library calls
    R2  a tile language: Triton, cuTile, Numba, TileLang and their like
    R3  a layout language (CuTe, Gluon), and plain C++ or CUDA C++: the author places data and
        threads, the compiler chooses the instructions
    R4  instructions written out: inline assembly, wmma, SIMD and other intrinsics

The rule: the highest level that code shows. Inline assembly that is in no binary is not counted
where the binaries were read: it was never compiled into a kernel.
"""

from __future__ import annotations

from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts
from assay.scores.rubric.binary_features import INLINE
from assay.scores.rubric.placed_level import PlacedLevel, named

_LEVELS = {
    FeatureKind.LIBRARY: 1,
    FeatureKind.TILE_LANGUAGE: 2,
    FeatureKind.LAYOUT_LANGUAGE: 3,
    FeatureKind.PLAIN: 3,
    FeatureKind.INSTRUCTIONS: 4,
}
_NOTHING = "neither a kernel nor a library call was found in the source"


def representation_level(facts: KernelFacts) -> PlacedLevel:
    """R of a candidate."""
    shown = [one for one in facts.features if one.kind in _LEVELS and _of_source(one)]
    if not facts.own_kernels:
        calls = [one for one in shown if one.kind is FeatureKind.LIBRARY]
        if not calls:
            return PlacedLevel(None, _NOTHING)
        return PlacedLevel(1, f"library calls: {named(calls)}")
    left, words = _without_dead_assembly(facts, shown)
    if not left:
        return PlacedLevel(None, _NOTHING)
    level = max(_LEVELS[one.kind] for one in left)
    best = [one for one in left if _LEVELS[one.kind] == level]
    if any(one.kind is FeatureKind.LAYOUT_LANGUAGE for one in best):  # says more than "C++"
        best = [one for one in best if one.kind is FeatureKind.LAYOUT_LANGUAGE]
    return PlacedLevel(level, named(best) + words)


def _of_source(one: Feature) -> bool:
    return one.origin is FeatureOrigin.SOURCE


def _without_dead_assembly(facts: KernelFacts, shown: list[Feature]) -> tuple[list[Feature], str]:
    """Inline assembly of the source must be in the kernels that the compiler made of it."""
    if not _compiled_cuda(facts) or not any(_is_inline(one) for one in shown):
        return shown, ""
    compiled = [one for one in facts.features if _is_inline(one) and not _of_source(one)]
    if compiled:
        return shown, f"; in the binary: {named(compiled)}"
    left = [one for one in shown if not _is_inline(one)]
    return left, "; inline assembly of the source is in no kernel that was compiled"


def _compiled_cuda(facts: KernelFacts) -> bool:
    """Binaries of CUDA C++ were read, all of them."""
    written = {one.name for one in facts.features if one.kind is FeatureKind.PLAIN}
    return bool(facts.compiled_for) and not facts.unread and "CUDA C++" in written


def _is_inline(one: Feature) -> bool:
    return one.kind is FeatureKind.INSTRUCTIONS and one.name == INLINE
