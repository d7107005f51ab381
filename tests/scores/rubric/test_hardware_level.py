from __future__ import annotations

import pytest

from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts
from assay.scores.rubric.hardware_level import hardware_level

Kind, SOURCE, BINARY = FeatureKind, FeatureOrigin.SOURCE, FeatureOrigin.BINARY
CUDA = Feature(kind=Kind.PLAIN, name="CUDA C++", origin=SOURCE)
CPP = Feature(kind=Kind.PLAIN, name="C++", origin=SOURCE)


def feature(kind: FeatureKind, origin: FeatureOrigin = BINARY) -> Feature:
    return Feature(kind=kind, name=kind.value, origin=origin, count=None)


def facts(*features: Feature, compiled: bool = True, **more: object) -> KernelFacts:
    archs = ("sm_90a",) if compiled else ()
    made = KernelFacts(features=features, own_kernels=True, compiled_for=archs)
    return made.model_copy(update=more)


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        (None, 1),
        (Kind.TENSOR_CORES, 2),
        (Kind.ASYNC_COPY, 3),
        (Kind.BARRIER, 3),
        (Kind.WARPGROUP, 4),
        (Kind.TMA, 4),
        (Kind.TENSOR_MEMORY, 4),
        (Kind.CLUSTER, 4),
    ],
)
def test_each_level(kind: FeatureKind | None, level: int) -> None:
    found = (feature(kind),) if kind else ()
    assert hardware_level(facts(CUDA, *found)).level == level


def test_without_a_binary_it_is_unknown_and_the_source_is_told() -> None:
    placed = hardware_level(facts(CUDA, feature(Kind.TMA, SOURCE), compiled=False))
    assert placed.level is None
    assert placed.evidence == "no binary was read; the source shows tensor memory accelerator"


def test_what_the_compiler_dropped_is_not_counted() -> None:
    placed = hardware_level(facts(CUDA, feature(Kind.WARPGROUP, SOURCE)))
    assert placed.level == 1 and "the binary for sm_90a does not hold it" in placed.evidence


def test_a_kernel_that_was_not_compiled_may_hold_more() -> None:
    unread = ("k for sm_90a: no header",)
    part = facts(CUDA, feature(Kind.TENSOR_CORES), unread=unread)
    assert hardware_level(part).level is None
    whole = facts(CUDA, feature(Kind.TMA), unread=unread)
    assert hardware_level(whole).level == 4, "there is no higher level to be missed"


def test_on_a_cpu_intrinsics_count() -> None:
    assert hardware_level(facts(CPP, compiled=False)).level == 1
    assert hardware_level(facts(CPP, feature(Kind.SIMD, SOURCE), compiled=False)).level == 2
    assert hardware_level(facts(CPP, feature(Kind.PREFETCH, SOURCE), compiled=False)).level == 3


def test_present_but_badly_used_is_said() -> None:
    found = facts(CUDA, feature(Kind.WARPGROUP))
    (remark,) = hardware_level(found, 0.12).remarks
    assert "H4 is present but badly used: warpgroup product at 12 %" in remark
    assert hardware_level(found, 0.8).remarks == () == hardware_level(found, None).remarks
    assert hardware_level(facts(CUDA), 0.12).remarks == (), "nothing is there to be used badly"
    (spilled,) = hardware_level(found.model_copy(update={"spill_bytes": 64})).remarks
    assert "64 bytes spilled" in spilled


def test_library_calls_specialise_nothing() -> None:
    call = Feature(kind=Kind.LIBRARY, name="torch.matmul", origin=SOURCE)
    assert hardware_level(KernelFacts(features=(call,))).level == 1
    assert hardware_level(KernelFacts()).level is None
