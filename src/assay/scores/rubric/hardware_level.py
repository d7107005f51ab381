"""Hardware level: H, from the instructions that the compiled kernels hold.

    H1  portable: none of those below
    H2  tensor cores by mma or wmma; SIMD on a CPU
    H3  asynchronous copies and barriers (cp.async, mbarrier); on a CPU prefetch, matrix extensions
    H4  wgmma, TMA and bulk copies, tcgen05, clusters

Shared memory alone is no level: every GPU has it. The rule: on a GPU only a binary shows a level,
because compilers add features and drop them. Without one it is unknown, and the line says what the
source shows. On a CPU the intrinsics of the source count, as no binary is read there. Without a
kernel of its own nothing is specialised: H1.
"""

from __future__ import annotations

from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts
from assay.scores.rubric.placed_level import PlacedLevel, named

_LEVELS = {
    FeatureKind.SIMD: 2,
    FeatureKind.TENSOR_CORES: 2,
    FeatureKind.PREFETCH: 3,
    FeatureKind.ASYNC_COPY: 3,
    FeatureKind.BARRIER: 3,
    FeatureKind.WARPGROUP: 4,
    FeatureKind.TMA: 4,
    FeatureKind.TENSOR_MEMORY: 4,
    FeatureKind.CLUSTER: 4,
}
_ON_CPU = frozenset(("C++",))
BADLY_USED = 0.5  # of the speed of light or of the best known: less is called badly used


def hardware_level(facts: KernelFacts, efficiency: float | None = None) -> PlacedLevel:
    """H of a candidate; `efficiency` is the share of the speed of light, or of the best known."""
    source = [one for one in facts.features if one.kind in _LEVELS and _of_source(one)]
    binary = [one for one in facts.features if one.kind in _LEVELS and not _of_source(one)]
    if not facts.own_kernels:
        calls = any(one.kind is FeatureKind.LIBRARY for one in facts.features)
        words = "no kernel of its own: nothing is specialised here"
        return PlacedLevel(1, words) if calls else PlacedLevel(None, "no kernel was found")
    if facts.compiled_for:
        return _compiled(facts, source, binary, efficiency)
    if _written(facts) <= _ON_CPU:
        level = max((_LEVELS[one.kind] for one in source), default=1)
        best = [one for one in source if _LEVELS[one.kind] == level]
        words = named(best) if best else "no intrinsics"
        return PlacedLevel(level, f"{words}, in the source", _use(level, best, efficiency))
    return PlacedLevel(None, _no_binary(facts, source))


def _compiled(
    facts: KernelFacts, source: list[Feature], binary: list[Feature], efficiency: float | None
) -> PlacedLevel:
    level = max((_LEVELS[one.kind] for one in binary), default=1)
    if facts.unread and level < 4:  # what was not read may hold more
        shown = f"; H{level} is in what was read: {named(_at(level, binary))}" if binary else ""
        return PlacedLevel(None, f"not every kernel was compiled: {facts.unread[0]}{shown}")
    best = _at(level, binary)
    archs = ", ".join(facts.compiled_for)
    words = named(best) if best else f"none of the features in the binary for {archs}"
    wanted = [one for one in source if _LEVELS[one.kind] > level]
    if wanted:
        words += f"; the source shows {named(wanted)}, the binary for {archs} does not hold it"
    return PlacedLevel(level, words, _use(level, best, efficiency, facts.spill_bytes))


def _at(level: int, features: list[Feature]) -> list[Feature]:
    return [one for one in features if _LEVELS[one.kind] == level]


def _use(
    level: int, best: list[Feature], efficiency: float | None, spill_bytes: int | None = None
) -> tuple[str, ...]:
    """Features that are there and bring little."""
    if level < 2:
        return ()
    names = ", ".join(dict.fromkeys(one.name for one in best))
    said = []
    if efficiency is not None and efficiency < BADLY_USED:
        share = f"{100 * efficiency:.0f} % of what is known to be possible"
        said.append(f"H{level} is present but badly used: {names} at {share}")
    if spill_bytes:
        said.append(f"H{level} is present but badly used: {names} with {spill_bytes} bytes spilled")
    return tuple(said)


def _no_binary(facts: KernelFacts, source: list[Feature]) -> str:
    why = f"no binary was read ({facts.unread[0]})" if facts.unread else "no binary was read"
    return f"{why}; the source shows {named(source)}" if source else why


def _written(facts: KernelFacts) -> set[str]:
    """What the kernels are written in."""
    kinds = (FeatureKind.PLAIN, FeatureKind.TILE_LANGUAGE, FeatureKind.LAYOUT_LANGUAGE)
    return {one.name for one in facts.features if one.kind in kinds}


def _of_source(one: Feature) -> bool:
    return one.origin is FeatureOrigin.SOURCE
