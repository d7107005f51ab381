"""Source analysis: what a candidate's text can reach, without running a line of it.

The rule: it follows code, not words. Comments, docstrings, unused functions and guarded imports are
harmless because nothing reaches them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.data.candidate import Candidate
from assay.languages.language_registry import language
from assay.python_tree import module_tree
from assay.source_analysis.cpp.cpp_functions import CppLibraryCall, parse_cpp
from assay.source_analysis.cpp.cpp_tokens import looks_like_cpp
from assay.source_analysis.interpreter.interpreter_state import Sources
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag
from assay.source_analysis.interpreter.whole_candidate import interpret
from assay.source_analysis.source_findings import closing_reductions, findings
from assay.source_analysis.source_report import DefinedKernel, ReturnSeen, SourceReport
from assay.source_analysis.tables.python_kernels import names_kernel
from assay.source_analysis.task_facts import Given

__all__ = ["SourceReport", "analyse", "closing_reductions", "findings"]

_NATIVE_FILES = (".cpp", ".cu", ".cc", ".cxx")


def analyse(candidate: Candidate, given: Given | None = None) -> SourceReport:
    """Follow a candidate from import to the result of forward."""
    if language(candidate.language).native:
        return _analyse_cpp(candidate)
    sources, readable = _read(candidate, given or Given())
    seen = interpret(sources).seen
    return SourceReport(
        readable=readable and seen.found_entry,
        complete=seen.complete,
        opaque=seen.opaque,
        hides_code=seen.hides_code,
        kernel_possible=bool(seen.kernels) or any(names_kernel(f.text) for f in candidate.sources),
        main_path=candidate.main.path,
        kernels=tuple(seen.kernels.values()),
        launches=tuple(seen.launches),
        returns=tuple(seen.returns),
        computed=tuple(seen.computed.values()),
        events=tuple(seen.events.values()),
    )


def _read(candidate: Candidate, given: Given) -> tuple[Sources, bool]:
    """Parse every file of a candidate; False where one cannot be parsed and is left out."""
    trees: dict[str, ast.Module] = {}
    native: dict[str, tuple[str, int]] = {}
    readable = True
    for file in candidate.sources:
        if not file.path.endswith(".py"):
            if looks_like_cpp(file.text) or file.path.endswith(_NATIVE_FILES):
                native[file.text] = (file.path, 1)
            continue
        try:
            trees[file.path] = module_tree(file.text)
        except (SyntaxError, ValueError, RecursionError):
            readable = False
            continue
        for text, line in _native_strings(trees[file.path]):
            native.setdefault(text, (file.path, line))
    return Sources(candidate.entry, candidate.main.path, trees, native, given), readable


def _native_strings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """C++ and CUDA texts in a file, with the line each begins on."""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.Constant) and isinstance(text, str) and looks_like_cpp(text):
            yield text, node.lineno


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
        kernels=(DefinedKernel("forward", "native", place),) if works else (),
        launches=(),
        returns=(ReturnSeen(place, Guard.NONE, frozenset({*tags, *own})),),
        computed=tags,
        events=(),
    )


def _cpp_tag(path: str, call: CppLibraryCall) -> Tag:
    where = f"{path}:{call.line}"
    return Tag(Origin.LIBRARY, call.name, where, call.weight, call.guard, on_input=True)
