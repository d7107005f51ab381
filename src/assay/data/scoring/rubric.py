"""Rubric: the five levels of one kernel, the facts they rest on, and a generator's profile of them.

The rule: a level is null where it is unknown, and every axis has a line that says why. A profile
speaks of levels that one accepted kernel reached together.
"""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import SCHEMA_VERSION, Record


class FeatureKind(StrEnum):
    """What a feature of a kernel is. Levels are given to kinds, not to names."""

    LIBRARY = "library call"
    TILE_LANGUAGE = "tile language"  # a compiler decides layouts and instructions
    LAYOUT_LANGUAGE = "layout language"  # CuTe, Gluon: the author places data and threads
    PLAIN = "plain code"  # C++ or CUDA C++
    INSTRUCTIONS = "instructions"  # inline assembly, intrinsics
    SIMD = "SIMD"
    TENSOR_CORES = "tensor cores"
    PREFETCH = "prefetch or matrix units"  # of a CPU
    ASYNC_COPY = "asynchronous copy"
    BARRIER = "asynchronous barrier"
    WARPGROUP = "warpgroup product"
    TMA = "tensor memory accelerator"
    TENSOR_MEMORY = "tensor memory"  # tcgen05
    CLUSTER = "thread block cluster"


class FeatureOrigin(StrEnum):
    """Where a feature was found."""

    SOURCE = "source"
    BINARY = "binary"  # machine code, or the PTX it is made from where nothing disassembles it


class Feature(Record):
    """One feature of a candidate's kernels."""

    kind: FeatureKind
    name: str  # as the field calls it: Triton, wgmma, torch.matmul
    origin: FeatureOrigin
    where: str = ""  # file:line; of a binary also the kernel
    count: int | None = None  # instructions, in a binary


class KernelFacts(Record):
    """What source and binaries of one candidate show, before a level is given."""

    features: tuple[Feature, ...] = ()
    own_kernels: bool = False  # the source makes kernels of its own
    compiled_for: tuple[str, ...] = ()  # architectures whose binaries were read
    unread: tuple[str, ...] = ()  # why binaries of some kernels could not be read
    spill_bytes: int | None = None  # of all kernels; None where no compiler said


class Rubric(Record):
    """Levels from 1 to 4 on the Standard Kernel Rubric; null is unknown."""

    complexity: int | None = None
    representation: int | None = None
    hardware: int | None = None
    performance: int | None = None
    automation: int | None = None
    reasons: tuple[str, ...] = ()  # the line of evidence of each axis, K R H P A
    remarks: tuple[str, ...] = ()  # what is present and badly used
    line: str = ""  # `K3 R2 H2 P3 A4`; a question mark for what is unknown
    facts: KernelFacts | None = None


class KernelRubric(Record):
    """The rubric of one kernel, with its name."""

    schema_version: int = SCHEMA_VERSION
    candidate: str
    candidate_id: str
    task: str = ""  # empty where the kernel was given without a task
    status: str = ""  # empty where it was not judged
    device: str = ""
    generator: str = ""
    rubric: Rubric


class RubricCell(Record):
    """Levels that one accepted kernel reached together, and how often they are reached."""

    line: str
    kernel: str  # the name of one that reached them: the first
    kernel_id: str
    task: str
    levels: tuple[int | None, ...]  # K R H P A
    kernels: int  # accepted kernels of this complexity that reach all of these levels or more
    candidates: int  # all candidates of tasks of this complexity, failures included
    rate: float  # kernels / candidates
    rate_low: float  # 95 %, Wilson
    rate_high: float
    solved: int  # tasks of this complexity with such a kernel
    tasks: int  # tasks of this complexity, those without a candidate included
    on_frontier: bool  # no other cell reaches as much on every axis


class RubricProfile(Record):
    """What one generator reaches on one device."""

    schema_version: int = SCHEMA_VERSION
    generator: str
    device: str
    runs: tuple[str, ...] = ()
    summary: str  # one line that names its kernel, or why there is none
    candidates: int
    accepted: int
    cells: tuple[RubricCell, ...] = ()  # the frontier first
