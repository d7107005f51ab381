"""Binary features: what compilers made of a candidate's kernels, added to what its source shows.

The rule: machine code counts where it was disassembled, else the PTX. Kernels that could not be
compiled are named, and their features stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.observations.compilation import (
    CompiledKernel,
    CompileOutcome,
    CompileReport,
    InstructionFamily,
)
from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts

INLINE = "inline assembly"
_KINDS = {
    "wgmma": FeatureKind.WARPGROUP,
    "tcgen05": FeatureKind.TENSOR_MEMORY,
    "TMA": FeatureKind.TMA,
    "bulk copy": FeatureKind.TMA,
    "cluster": FeatureKind.CLUSTER,
    "cp.async": FeatureKind.ASYNC_COPY,
    "mbarrier": FeatureKind.BARRIER,
    "mma.sync": FeatureKind.TENSOR_CORES,
    "v_mfma": FeatureKind.TENSOR_CORES,
    "v_wmma": FeatureKind.TENSOR_CORES,
    "direct to LDS": FeatureKind.ASYNC_COPY,
    INLINE: FeatureKind.INSTRUCTIONS,
}


def with_binaries(facts: KernelFacts, reports: Iterable[CompileReport]) -> KernelFacts:
    """The same facts with every binary of the reports."""
    given = list(reports)
    kernels = [kernel for report in given for kernel in report.kernels]
    none = [f"for {one.arch}: {one.reason}" for one in given if one.reason and not one.kernels]
    read = [one for one in kernels if one.outcome is CompileOutcome.COMPILED]
    lost = [one for one in kernels if one.outcome is not CompileOutcome.COMPILED]
    found = [feature for kernel in read for feature in _of_kernel(kernel)]
    spilled = [one.spill_bytes for one in read if one.spill_bytes is not None]
    return facts.model_copy(
        update={
            "features": (*facts.features, *found),
            "own_kernels": facts.own_kernels or bool(kernels),
            "compiled_for": tuple(dict.fromkeys(one.arch for one in read)),
            "unread": (*(f"{one.name} for {one.arch}: {_why(one)}" for one in lost), *none),
            "spill_bytes": sum(spilled) if spilled else None,
        }
    )


def _why(kernel: CompiledKernel) -> str:
    first = kernel.message.splitlines()[0] if kernel.message else ""
    return first or kernel.outcome.value


def _of_kernel(kernel: CompiledKernel) -> Iterable[Feature]:
    place = f"{kernel.name} for {kernel.arch}"
    for family in kernel.instructions:
        kind, count = _KINDS.get(family.name), issued(family)
        if kind is not None and count:
            yield Feature(
                kind=kind, name=family.name, origin=FeatureOrigin.BINARY, where=place, count=count
            )


def issued(family: InstructionFamily) -> int:
    """How often it stands in the machine code, or in the assembly where that was not read."""
    return family.assembly if family.binary is None else family.binary
