"""Which tasks an audit finds wanting, and what it says mends them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.audit.auditor import audit
from assay.data.audit import AuditRecord, AuditStatus, NullKind
from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.tasks.catalog import resolve

Audited = Callable[..., AuditRecord]


def kinds(record: AuditRecord) -> set[NullKind]:
    return {finding.null for finding in record.findings}


@pytest.mark.parametrize("name", ["softmax", "row_argmax", "cross_entropy"])
def test_native_tasks_are_sound(name: str) -> None:
    record = audit(resolve(name), Level.QUICK)
    assert record.status is AuditStatus.SOUND, record.reason
    assert record.findings == () and record.untried == 0
    assert record.flat_axes is None, "native tasks have no check but Assay's own"


def test_a_plain_layer_is_sound(audited: Audited) -> None:
    assert audited("torch.exp(self.linear(x))").status is AuditStatus.SOUND


def test_an_output_that_is_always_zero_is_degenerate(audited: Audited) -> None:
    widest = "self.linear(x).amax(1, keepdim=True)"
    record = audited(f"{widest} - {widest}.mean(1, keepdim=True)")
    assert record.status is AuditStatus.DEGENERATE
    zeros = record.findings[0]
    assert zeros.null is NullKind.ZEROS and zeros.passes_contract
    assert zeros.flat_tolerance == 1e-4 and zeros.mended_by is None
    assert record.reason == "Every workload tried accepts zeros everywhere."


def test_a_relu_that_never_opens_is_mended_by_other_values(audited: Audited) -> None:
    record = audited("torch.relu(self.linear(x) - 4)")
    assert record.status is AuditStatus.MENDED
    zeros = record.findings[0]
    assert zeros.null is NullKind.ZEROS and zeros.passes_contract
    assert zeros.mended_by is not None and zeros.mended_by.distribution is not Distribution.OWN


def test_tiny_outputs_pass_a_flat_tolerance_and_no_error_budget(audited: Audited) -> None:
    record = audited("torch.softmax(x, 1)", 4096)
    assert record.status is AuditStatus.MENDED
    assert NullKind.ZEROS in kinds(record)
    assert {f.flat_tolerance for f in record.findings if f.null is NullKind.ZEROS} == {1e-2}
    assert not any(finding.passes_contract for finding in record.findings)
    assert "0.01" in record.reason


def test_a_scalar_that_a_sub_sample_gives_as_well(audited: Audited) -> None:
    record = audited("x.square().mean()", 4096)
    assert record.status is AuditStatus.MENDED
    assert NullKind.HALF in kinds(record)


def test_a_reference_that_does_not_repeat_itself_is_unusable(audited: Audited) -> None:
    record = audited("nn.functional.dropout(torch.exp(x))")
    assert record.status is AuditStatus.UNUSABLE
    assert "does not repeat itself" in record.reason


def test_a_reference_that_does_not_run_is_unusable(audited: Audited) -> None:
    assert audited("x @ x.reshape(3, 5)").status is AuditStatus.UNUSABLE


def test_an_audit_repeats_itself(audited: Audited) -> None:
    first, second = (audited("torch.softmax(x, 1)", 2048) for _ in range(2))
    assert first.findings == second.findings and first.reason == second.reason
