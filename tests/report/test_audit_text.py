"""An audit on a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from assay.data.audit import AuditRecord, AuditStatus, NullFinding, NullKind
from assay.data.settings import Level
from assay.data.workload import Distribution, Workload
from assay.report.audit_text import audit_block, audit_tally

MEND = Workload(axes={"rows": 7}, dtype="float32", distribution=Distribution.OFFSET)


def finding(null: NullKind, mend: Workload | None, flat: float | None = 1e-2) -> NullFinding:
    return NullFinding(
        null=null, text=null.value, flat_tolerance=flat, passes_contract=True, mended_by=mend
    )


def record(status: AuditStatus, *findings: NullFinding) -> AuditRecord:
    return AuditRecord(
        assay="1",
        task="t",
        content_id="c",
        origin="",
        level=Level.QUICK,
        status=status,
        reason="Because.",
        findings=findings,
        flat_axes=None,
        contract_axes=None,
        untried=0,
        elapsed_s=1.0,
    )


def shown(one: AuditRecord) -> list[str]:
    stream = StringIO()
    Console(file=stream, width=200, highlight=False).print(audit_block(one))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_nulls_with_the_same_mend_share_a_line() -> None:
    lines = shown(
        record(
            AuditStatus.DEGENERATE,
            finding(NullKind.ZEROS, MEND),
            finding(NullKind.MEAN, MEND),
            finding(NullKind.ONES, None, None),
        )
    )
    assert lines == [
        "t  degenerate  Because.",
        "  zeros, mean: accepted by allclose at 0.01 and the error budget on its own inputs; "
        "refused by rows=7 float32 offset",
        "  ones: accepted by the error budget on its own inputs; no workload refuses it",
    ]


def test_the_tally_has_its_denominator() -> None:
    records = [record(AuditStatus.SOUND), record(AuditStatus.MENDED), record(AuditStatus.SOUND)]
    assert audit_tally(records).plain == "2 sound, 1 mended of 3"
    assert audit_tally([]).plain == "nothing audited of 0"
