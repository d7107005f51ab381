"""An inspection on a terminal: what the source shows, and what it might mean."""

from __future__ import annotations

from rich.console import Group
from rich.text import Text

from assay.data.inspection import Inspection, Mention
from assay.data.scoring.rubric import Rubric
from assay.report.hardware.compilation_text import compilation_lines
from assay.report.terminal import evidence_line
from assay.report.terminal_layout import Columns


def inspection_page(inspection: Inspection) -> Group:
    """Heading, what was found and where, rubric, findings."""
    heading = Text.assemble(
        (inspection.candidate, "bold"),
        f"  {inspection.language}, entry {inspection.entry}, {inspection.candidate_id}",
    )
    table = Columns()
    for name, text in (
        ("kernels", _mentions(inspection.kernels)),
        ("launched", _mentions(inspection.launches)),
        ("library", _mentions(inspection.library_calls)),
        ("rubric", rubric_text(inspection.rubric) if inspection.rubric else ""),
        ("limits", _limits(inspection)),
    ):
        if text:
            table.add_row(Text(f"  {name}", style="dim"), text)
    findings = [Text("  ").append_text(evidence_line(item)) for item in inspection.evidence]
    compiled = [line for report in inspection.compiled for line in compilation_lines(report)]
    return Group(heading, table, *(findings or [Text("  no findings", "dim")]), *compiled)


def _mentions(mentions: tuple[Mention, ...]) -> str:
    return ", ".join(f"{one.name} ({one.where})" if one.where else one.name for one in mentions)


def _limits(inspection: Inspection) -> str:
    if not inspection.readable:
        return "it does not parse, or its entry is not there"
    return "" if inspection.complete else "not everything could be followed: absence proves nothing"


def rubric_text(rubric: Rubric) -> str:
    """R for representation, H for hardware, each with its evidence; the others need a verdict."""
    shown = [reason for reason in rubric.reasons if reason[:1] in "RH"]
    return "; ".join([*shown, *rubric.remarks])
