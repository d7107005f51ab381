"""A profile on a terminal: what binds it, its kernels, and its place under the roofs.

The rule: the two sentences come first and are handed in: a report reads records, it measures
nothing.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.observations.profile import (
    Extent,
    KernelRow,
    NotProfiled,
    Profile,
    RooflinePosition,
)
from assay.report import words
from assay.report.terminal_layout import Columns

_ROWS = 8
_NAME_LENGTH = 60


def profile_page(profile: Profile, sentences: tuple[str, str]) -> Group:
    """Heading, two sentences, the roofs, one line a kernel."""
    heading = Text.assemble(
        (profile.task, "bold"),
        "  ",
        (profile.candidate, "bold"),
        f"  {words.microseconds(profile.time_us)} a call on {profile.device}",
    )
    parts: list[RenderableType] = [heading, *(Text(f"  {text}") for text in sentences)]
    if profile.roofline is not None:
        parts.append(Text(f"  {roofline(profile.roofline)}", style="dim"))
    parts += [Text(f"  {note}", style="dim") for note in _notes(profile)]
    if profile.kernels:
        parts.append(kernel_table(profile.kernels))
    return Group(*parts)


def not_profiled_page(found: NotProfiled) -> Group:
    """What became of it."""
    heading = Text.assemble((found.task, "bold"), "  ", (found.candidate, "bold"))
    text = f"  not profiled on {found.device}: it failed at {found.phase}"
    return Group(heading, Text(text, style="red"), Text(found.reason))


def _notes(profile: Profile) -> list[str]:
    """Sizes, energy, and what a reader has to know of the run."""
    sizes = " ".join(f"{name}={size}" for name, size in profile.axes.items())
    energy_mj = profile.energy_mj
    energy = "" if energy_mj is None else f"{energy_mj:.3g} mJ a call, idle power included"
    trusted = "its counters were read in a run WITHOUT the wall" if profile.trusted else ""
    return [note for note in (sizes, energy, trusted, profile.reason) if note]


def roofline(under: RooflinePosition) -> str:
    """Intensity against the ridge, and the share of each roof."""
    ridge = f" (the roofs meet at {under.ridge:.3g})" if under.ridge is not None else ""
    return (
        f"{under.intensity:.3g} FLOP a byte{ridge}: {100 * under.memory_share:.0f} % of the memory "
        f"roof, {100 * under.arithmetic_share:.0f} % of the arithmetic roof"
    )


def kernel_table(rows: tuple[KernelRow, ...]) -> Group:
    """The longest kernels; a dash where the profiler did not say."""
    table = Columns(
        (
            "kernel", "share", "time", "launches", "registers", "shared", "occupancy", "grid",
            "block", "waits most for",
        )
    )  # fmt: skip
    for row in rows[:_ROWS]:
        stall = max(row.stalls, key=row.stalls.__getitem__) if row.stalls else "-"
        table.add_row(
            Text(_shortened(row.name), style="yellow" if row.library else "bold"),
            f"{100 * row.share:.0f} %",
            words.microseconds(row.total_us),
            str(row.calls),
            "-" if row.registers is None else str(row.registers),
            "-" if row.shared_bytes is None else words.byte_size(row.shared_bytes),
            "-" if row.occupancy is None else f"{100 * row.occupancy:.0f} %",
            _extent(row.grid),
            _extent(row.block),
            stall.replace("_", " "),
        )
    if len(rows) > _ROWS:
        more = Text(f"+{len(rows) - _ROWS} more kernels (--json shows all)", style="dim")
        return Group(table, more)
    return Group(table)


def _extent(extent: Extent | None) -> str:
    """Without the trailing ones."""
    if extent is None:
        return "-"
    used = max((place for place, size in enumerate(extent, 1) if size != 1), default=1)
    return "x".join(str(size) for size in extent[:used])


def _shortened(name: str) -> str:
    return name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 3]}..."
