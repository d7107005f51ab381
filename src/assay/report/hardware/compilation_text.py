"""A compilation on a terminal: a line for each kernel, and below it what was assumed or refused."""

from __future__ import annotations

from rich.text import Text

from assay.data.observations.compilation import CompiledKernel, CompileOutcome, CompileReport

_STYLES = {
    CompileOutcome.COMPILED: "green",
    CompileOutcome.FAILED: "red",
    CompileOutcome.UNKNOWN: "yellow",
}
_MESSAGE_LINES = 6


def compilation_lines(report: CompileReport) -> list[Text]:
    """What became of every kernel for one architecture."""
    heading = Text("  ").append(report.arch, "bold")
    heading.append(f"  {', '.join(report.compilers)}" if report.compilers else "", "dim")
    if report.reason:
        heading.append(f"  {CompileOutcome.UNKNOWN.value}: {report.reason}")
    return [heading, *(line for kernel in report.kernels for line in _kernel_lines(kernel))]


def _kernel_lines(kernel: CompiledKernel) -> list[Text]:
    title = Text("    ").append(kernel.outcome.value, _STYLES[kernel.outcome])
    title.append(f"  {kernel.name}").append(f" ({kernel.where})", "dim")
    title.append("".join(f"  {part}" for part in (_resources(kernel), _sizes(kernel)) if part))
    lines = [title]
    if kernel.instructions:
        counts = ", ".join(
            f"{one.name} {_count(one.assembly, one.binary)}" for one in kernel.instructions
        )
        lines.append(Text(f"      {counts}"))
    shown = kernel.message.splitlines()
    lines += [Text(f"      {line}") for line in shown[:_MESSAGE_LINES]]
    if len(shown) > _MESSAGE_LINES:
        lines.append(Text(f"      ... {len(shown) - _MESSAGE_LINES} more lines with --json", "dim"))
    if kernel.assumed:
        lines.append(Text(f"      assumed: {'; '.join(kernel.assumed)}", "dim"))
    return lines


def _count(assembly: int, binary: int | None) -> str:
    """One figure where assembly and machine code agree."""
    return str(assembly) if binary in (None, assembly) else f"{assembly} ({binary} in the binary)"


def _resources(kernel: CompiledKernel) -> str:
    figures = (
        (kernel.registers, "registers"),
        (kernel.shared_bytes, "B shared"),
        (kernel.stack_bytes, "B stack"),
        (kernel.spill_bytes, "B spilled"),
    )
    return ", ".join(f"{value} {unit}" for value, unit in figures if value is not None)


def _sizes(kernel: CompiledKernel) -> str:
    if kernel.assembly_bytes is None or kernel.binary_bytes is None:
        return ""
    names = ("assembly", "hsaco") if kernel.arch.startswith("gfx") else ("PTX", "cubin")
    sizes = zip(names, (kernel.assembly_bytes, kernel.binary_bytes), strict=True)
    return ", ".join(f"{name} {size} B" for name, size in sizes)
