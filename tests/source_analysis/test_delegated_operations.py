from __future__ import annotations

import pytest

from assay.data.evidence import Severity
from assay.data.observations.observation import DispatchSeen, OpCount
from assay.data.settings import Track
from assay.source_analysis.delegated_operations import OpRole, delegated, role

ROLES = {
    "aten.empty.memory_format": OpRole.ALLOCATION,
    "aten.empty_like.default": OpRole.ALLOCATION,
    "aten.new_empty.default": OpRole.ALLOCATION,
    "aten.zeros_like.default": OpRole.FILL,
    "aten.fill_.Scalar": OpRole.FILL,
    "aten.zero_.default": OpRole.FILL,
    "aten.arange.start": OpRole.FILL,
    "aten.randn.default": OpRole.COMPUTE,
    "aten.normal_.default": OpRole.COMPUTE,
    "aten.view.default": OpRole.VIEW,
    "aten._unsafe_view.default": OpRole.VIEW,
    "aten.t.default": OpRole.VIEW,
    "aten.permute.default": OpRole.VIEW,
    "aten.detach.default": OpRole.VIEW,
    "aten.slice.Tensor": OpRole.VIEW,
    "aten.select.int": OpRole.VIEW,
    "aten.expand.default": OpRole.VIEW,
    "aten.clone.default": OpRole.COPY,
    "aten.copy_.default": OpRole.COPY,
    "aten.contiguous.default": OpRole.COPY,
    "aten.cat.default": OpRole.COPY,
    "aten._to_copy.default": OpRole.CAST,
    "aten._local_scalar_dense.default": OpRole.BOOKKEEPING,
    "aten.is_contiguous.default": OpRole.BOOKKEEPING,
    "mine.softmax.default": OpRole.BOOKKEEPING,
    "aten.mm.default": OpRole.COMPUTE,
    "aten.add.Tensor": OpRole.COMPUTE,
    "aten.add_.Tensor": OpRole.COMPUTE,
    "aten.sum.dim_IntList": OpRole.COMPUTE,
    "aten.sort.default": OpRole.COMPUTE,
    "aten.index.Tensor": OpRole.COMPUTE,
    "aten.gelu.default": OpRole.COMPUTE,
    "aten::mm": OpRole.COMPUTE,
    "prims.add.default": OpRole.COMPUTE,
    "aten.some_future_operator.default": OpRole.COMPUTE,
}


@pytest.mark.parametrize("name", ROLES)
def test_role(name: str) -> None:
    assert role(name) is ROLES[name]


def _severities(name: str, elements: int, own: int, track: Track = Track.KERNEL) -> list[Severity]:
    seen = DispatchSeen(
        logged_calls=4, own_elements=own, ops=(OpCount(name=name, calls=4, elements=elements),)
    )
    return [evidence.severity for evidence in delegated(seen, track)]


@pytest.mark.parametrize(
    ("name", "elements", "own", "expected"),
    [
        ("aten.mul.Tensor", 4096, 4096, Severity.CONVICTS),
        ("aten.mul.Tensor", 300, 4096, Severity.CONVICTS),
        ("aten.mul.Tensor", 256, 4096, Severity.NOTE),  # a sixteenth: one value for each row of 16
        ("aten.cumsum.default", 64, 64, Severity.NOTE),
        ("aten.mm.default", 65, 10**6, Severity.CONVICTS),
        ("aten.mm.default", 64, 10**6, Severity.NOTE),
        ("aten.mse_loss.default", 32, 32, Severity.CONVICTS),
        ("aten.logsumexp.default", 256, 4096, Severity.NOTE),  # it joins what a kernel left
        ("aten.logsumexp.default", 4096, 4096, Severity.CONVICTS),
    ],
)
def test_size_decides(name: str, elements: int, own: int, expected: Severity) -> None:
    assert _severities(name, elements, own) == [expected]


def test_layout_changes_are_free() -> None:
    assert _severities("aten.copy_.default", 10**6, 10**6) == []


def test_mixed_track_notes_and_open_track_is_silent() -> None:
    assert _severities("aten.mm.default", 10**6, 10**6, Track.MIXED) == [Severity.NOTE]
    assert _severities("aten.mm.default", 10**6, 10**6, Track.OPEN) == []


def test_a_closing_sum_is_small_beside_dense_products() -> None:
    parts = OpCount(name="aten.sum.dim_IntList", calls=1, elements=4096)
    seen = DispatchSeen(
        logged_calls=1, own_elements=16384, result_elements=1024, products=512, ops=(parts,)
    )
    [closing] = delegated(seen, Track.KERNEL, ("sum",))
    assert closing.severity is Severity.NOTE
    [elsewhere] = delegated(seen, Track.KERNEL)  # the source does not show that it closes
    assert elsewhere.severity is Severity.CONVICTS
    no_products = seen.model_copy(update={"products": 0})  # a softmax: the sum is the work
    [alone] = delegated(no_products, Track.KERNEL, ("sum",))
    assert alone.severity is Severity.CONVICTS
