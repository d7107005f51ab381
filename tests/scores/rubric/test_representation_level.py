from __future__ import annotations

import pytest

from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts
from assay.scores.rubric.representation_level import representation_level

Kind = FeatureKind


def facts(*kinds: FeatureKind, own: bool = True) -> KernelFacts:
    found = tuple(
        Feature(kind=kind, name=kind.value, origin=FeatureOrigin.SOURCE, where="k.py:1")
        for kind in kinds
    )
    return KernelFacts(features=found, own_kernels=own)


@pytest.mark.parametrize(
    ("found", "level"),
    [
        (facts(Kind.LIBRARY, own=False), 1),
        (facts(Kind.TILE_LANGUAGE), 2),
        (facts(Kind.TILE_LANGUAGE, Kind.TENSOR_CORES), 2),
        (facts(Kind.PLAIN), 3),
        (facts(Kind.PLAIN, Kind.LAYOUT_LANGUAGE), 3),
        (facts(Kind.PLAIN, Kind.INSTRUCTIONS), 4),
        (facts(own=False), None),
    ],
)
def test_each_level(found: KernelFacts, level: int | None) -> None:
    placed = representation_level(found)
    assert placed.level == level and placed.evidence


def test_the_evidence_names_what_says_most() -> None:
    placed = representation_level(facts(Kind.PLAIN, Kind.LAYOUT_LANGUAGE))
    assert placed.evidence == "layout language (k.py:1)"
