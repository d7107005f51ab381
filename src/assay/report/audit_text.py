"""An audit on a terminal: the tasks that prove nothing, each with what mends it.

The rule: sound tasks are counted, not listed; the last line has the denominator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from assay.data.audit import AuditRecord, AuditStatus, NullFinding
from assay.report import words

_COLOURS = {
    AuditStatus.SOUND: "green",
    AuditStatus.MENDED: "yellow",
    AuditStatus.DEGENERATE: "red",
    AuditStatus.UNUSABLE: "magenta",
    AuditStatus.NOT_RUN: "magenta",
}


def audit_block(record: AuditRecord) -> Group:
    """One task that is not sound: the verdict, then a line for each group of null answers."""
    heading = Text.assemble(
        (record.task, "bold"),
        "  ",
        (record.status.value, _COLOURS[record.status]),
        f"  {record.reason}",
    )
    lines: list[RenderableType] = [heading]
    lines += [Padding(_line(group), (0, 0, 0, 2), expand=False) for group in _groups(record)]
    return Group(*lines)


def audit_tally(records: Sequence[AuditRecord]) -> Text:
    """How many of each status, of how many."""
    counts = Counter(record.status for record in records)
    parts = [f"{counts[status]} {status.value}" for status in AuditStatus if counts[status]]
    return Text(f"{', '.join(parts) or 'nothing audited'} of {counts.total()}")


def _groups(record: AuditRecord) -> list[list[NullFinding]]:
    """Null answers accepted alike and refused by the same workload, in the order found."""
    groups: dict[str, list[NullFinding]] = {}
    for finding in record.findings:
        mend = finding.mended_by.model_dump_json() if finding.mended_by else ""
        key = f"{finding.flat_tolerance} {finding.passes_contract} {mend}"
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _line(group: list[NullFinding]) -> Text:
    first = group[0]
    kinds = ", ".join(dict.fromkeys(finding.null.value for finding in group))
    text = Text.assemble((kinds, "bold"), f": {_accepted_by(first)}; ")
    if first.mended_by is None:
        return text.append("no workload refuses it", "red")
    return text.append(f"refused by {words.workload(first.mended_by)}", "green")


def _accepted_by(finding: NullFinding) -> str:
    checks = []
    if finding.flat_tolerance is not None:
        checks.append(f"allclose at {finding.flat_tolerance:g}")
    if finding.passes_contract:
        checks.append("the error budget")
    return f"accepted by {' and '.join(checks)} on its own inputs"
