"""An explanation on a terminal: the pattern, the smallest failing workload, the worst elements."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from assay.data.observations.explanation import Explanation, WrongElement
from assay.report import words
from assay.report.terminal_layout import Columns, indented


def explanation_parts(found: Explanation) -> list[RenderableType]:
    """In words first, then the numbers."""
    parts: list[RenderableType] = [
        indented(Text.assemble((f"how: {found.pattern.value}", "bold"), f"  {found.text}")),
        indented(Text(f"seen with {words.workload(found.found_on)}", style="dim")),
    ]
    parts += [indented(Text(f"fails {text}")) for text in found.failure_conditions]
    if found.smallest is not None:
        parts.append(indented(Text(_smallest(found))))
    if found.worst:
        parts.append(_elements(found.worst))
    return parts


def _smallest(found: Explanation) -> str:
    assert found.smallest is not None
    text = f"smallest failing workload: {words.workload(found.smallest)} ({found.tries} tried)"
    if not found.total:
        return text
    return f"{text}; {found.output} {list(found.shape)}: {found.wrong} of {found.total} wrong"


def _elements(worst: tuple[WrongElement, ...]) -> Columns:
    table = Columns(indent=2)
    for element in worst:
        table.add_row(
            Text(f"  {list(element.index)}", style="bold"),
            f"expected {element.expected}",
            f"got {element.got}",
            f"{words.budget_share(element.budget_used)} of its error budget"
            if element.budget_used is not None
            else "",
        )
    return table
