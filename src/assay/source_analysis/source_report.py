"""SourceReport: what a candidate's source shows, before anyone weighs it.

The rule: it says what may be reached; `opaque` or `complete=False` says that something may be
missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.evidence import Evidence
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag


@dataclass(frozen=True, slots=True)
class DefinedKernel:
    """A kernel that the candidate defines."""

    name: str
    language: str
    where: str


@dataclass(frozen=True, slots=True)
class LaunchSeen:
    """A kernel call that forward reaches."""

    name: str
    where: str
    guard: Guard


@dataclass(frozen=True, slots=True)
class ReturnSeen:
    """One return of forward: what may be in the result there."""

    where: str
    guard: Guard
    tags: frozenset[Tag]
    subclass: bool = False  # it may be an instance of a tensor subclass of the candidate
    blank: bool = False  # new storage that nothing was written to, or nothing but a constant


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What the source shows."""

    readable: bool  # it parses and has its entry
    complete: bool  # the analysis followed everything it met
    opaque: bool  # code made from text that is not constant: absence proves nothing
    hides_code: bool  # some of that text is made at run time, so that nobody can read it
    kernel_possible: bool  # some word of the sources belongs to a way of making kernels
    main_path: str
    kernels: tuple[DefinedKernel, ...]
    launches: tuple[LaunchSeen, ...]
    returns: tuple[ReturnSeen, ...]
    computed: tuple[Tag, ...]  # library computations that forward reaches
    events: tuple[Evidence, ...]  # reaching out, patching, lying

    @property
    def result_depends_on_kernel(self) -> bool:
        """True where some result may hold what a kernel made."""
        return any(tag.origin is Origin.KERNEL for seen in self.returns for tag in seen.tags)

    @property
    def result_is_unresolved(self) -> bool:
        """True where some result came out of a call the analysis could not resolve."""
        return any(tag.origin is Origin.UNKNOWN for seen in self.returns for tag in seen.tags)
