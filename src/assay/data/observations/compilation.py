"""Compilation: what compilers make of a candidate's kernels for a named architecture. Nothing ran.

The rule: what could not be tried is unknown, with the reason, and unknown is never a pass.
"""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import SCHEMA_VERSION, Record


class CompileOutcome(StrEnum):
    """How one kernel fared."""

    COMPILED = "compiled"
    FAILED = "failed"  # the compiler refused the candidate's own code
    UNKNOWN = "unknown"  # it could not be tried, or not as the candidate would


class InstructionFamily(Record):
    """How often instructions of one family stand in a kernel."""

    name: str
    assembly: int  # in PTX or AMD's assembly
    binary: int | None = None  # in the machine code; None where it was not disassembled


class CompiledKernel(Record):
    """One kernel compiled for one architecture."""

    name: str
    arch: str
    language: str
    outcome: CompileOutcome
    where: str = ""  # file:line
    symbol: str = ""  # its name in the binary
    message: str = ""  # the compiler's words, or why it is unknown
    assumed: tuple[str, ...] = ()  # what the source does not say and was chosen for it
    registers: int | None = None  # a thread
    shared_bytes: int | None = None  # a block; what a launch adds is known for Triton alone
    stack_bytes: int | None = None  # a thread
    spill_bytes: int | None = None  # stores and loads together
    instructions: tuple[InstructionFamily, ...] = ()
    assembly_bytes: int | None = None  # of the whole PTX or AMD assembly it came in
    binary_bytes: int | None = None  # of the whole cubin or hsaco it came in


class CompileReport(Record):
    """Every kernel of one candidate for one architecture."""

    schema_version: int = SCHEMA_VERSION
    candidate_id: str
    arch: str
    compilers: tuple[str, ...] = ()  # in their own words
    reason: str = ""  # why there is no kernel here
    kernels: tuple[CompiledKernel, ...] = ()

    @property
    def outcome(self) -> CompileOutcome:
        """The worst of its kernels; unknown where it has none."""
        found = {kernel.outcome for kernel in self.kernels}
        for worst in (CompileOutcome.FAILED, CompileOutcome.UNKNOWN):
            if worst in found:
                return worst
        return CompileOutcome.COMPILED if found else CompileOutcome.UNKNOWN
