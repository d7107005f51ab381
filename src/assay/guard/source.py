"""Source analysis: what a candidate's text can reach, without running a line of it.

The rule: it follows code, not words. Comments, docstrings, unused functions and guarded imports are
harmless because nothing reaches them.
"""

from __future__ import annotations

from assay.data.candidate import Candidate
from assay.guard.candidate_trace import CandidateTrace
from assay.guard.cpp_functions import CppLibraryCall, parse_cpp
from assay.guard.findings import closing_reductions, findings
from assay.guard.given import Given
from assay.guard.python_kernels import names_kernel
from assay.guard.source_report import SourceReport
from assay.guard.tags import Guard, Origin, Tag
from assay.guard.trace import KernelSeen, ReturnSeen
from assay.languages.registry import language

__all__ = ["SourceReport", "analyse", "closing_reductions", "findings"]


def analyse(candidate: Candidate, given: Given | None = None) -> SourceReport:
    """Follow a candidate from import to the result of forward."""
    if language(candidate.language).native:
        return _analyse_cpp(candidate)
    trace = CandidateTrace(candidate, given or Given())
    if candidate.main.path in trace.trees:
        trace.run()
    return SourceReport(
        readable=trace.readable and trace.found_entry,
        complete=trace.complete,
        opaque=trace.opaque,
        hides_code=trace.hides_code,
        kernel_possible=bool(trace.kernels) or any(names_kernel(f.text) for f in candidate.sources),
        main_path=candidate.main.path,
        kernels=tuple(trace.kernels.values()),
        launches=tuple(trace.launches),
        returns=tuple(trace.returns),
        computed=tuple(trace.computed.values()),
        events=tuple(trace.events.values()),
    )


def _analyse_cpp(candidate: Candidate) -> SourceReport:
    """A bare C++ file: its entry is a function called forward."""
    main = candidate.main
    unit = parse_cpp(main.text)
    entries = [function for function in unit.functions if function.name == "forward"]
    reached = unit.reached(frozenset(("forward",))) if entries else ()
    tags = tuple(_cpp_tag(main.path, call) for f in reached for call in f.library)
    works = any(function.works for function in reached) or not tags
    place = f"{main.path}:{entries[0].line if entries else 1}"
    own = {Tag(Origin.KERNEL, "forward")} if works else set()
    return SourceReport(
        readable=bool(entries),
        complete=True,
        opaque=False,
        hides_code=False,
        kernel_possible=True,
        main_path=main.path,
        kernels=(KernelSeen("forward", "native", place),) if works else (),
        launches=(),
        returns=(ReturnSeen(place, Guard.NONE, frozenset({*tags, *own})),),
        computed=tags,
        events=(),
    )


def _cpp_tag(path: str, call: CppLibraryCall) -> Tag:
    where = f"{path}:{call.line}"
    return Tag(Origin.LIBRARY, call.name, where, call.weight, call.guard, on_input=True)
