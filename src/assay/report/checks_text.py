"""Checks on a terminal: one row each, with what it costs and where it runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from rich.console import Group
from rich.text import Text

from assay.data.check import CheckDeclaration, Execution
from assay.data.settings import Level, Track
from assay.report.terminal_layout import Columns


def check_list(checks: Sequence[CheckDeclaration]) -> Group:
    """Two lines a check: its name, cost and question; then when and where, and its evidence."""
    return Group(*(_rows(check) for check in checks))


def _rows(check: CheckDeclaration) -> Group:
    name = check.name if check.origin == "assay" else f"{check.name} (from {check.origin})"
    heading = Text.assemble((name, "bold"), f"  {check.missing or check.text}")
    facts = Columns(indent=4)
    for label, value in (
        ("costs", f"{check.cost}: {check.most}"),
        ("runs", "; ".join(_where(check))),
        ("finds", ", ".join(check.kinds) or "nothing: it changes no verdict"),
    ):
        facts.add_row(Text(label, style="dim"), value)
    return Group(heading, facts) if not check.missing else Group(heading)


def _where(check: CheckDeclaration) -> list[str]:
    """When; then only what it is limited to."""
    found = [", ".join(check.stages)]
    found += _only("level", check.levels, Level)
    found += _only("track", check.tracks, Track)
    found += _only("kernels on", check.executions, Execution)
    return found if check.of_wrong else [*found, "right so far"]


def _only(label: str, chosen: Sequence[StrEnum], every: type[StrEnum]) -> list[str]:
    return [] if set(chosen) == set(every) else [f"{label} {', '.join(chosen)}"]
