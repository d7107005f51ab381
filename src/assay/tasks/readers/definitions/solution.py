"""Solution: a candidate in the form of SOL-ExecBench or FlashInfer-Trace, one JSON file.

The rule: the files keep their text. How the function is called (returning its
results, or writing into memory that it is given) stands in the candidate's entry until it is
adapted to a task. A plain Python file is called by the number of its parameters.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from assay.data.candidate import Candidate, SourceFile
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import ENTRY
from assay.languages.language import MAIN
from assay.languages.language_registry import detect_language
from assay.python_tree import expression_tree, module_tree
from assay.tasks.readers.definitions.definition import RUN
from assay.tasks.readers.definitions.definition_module import IN_ORDER, OUTPUTS
from assay.tasks.readers.entry_file import (
    SUBMISSION,
    extension_text,
    has_entry,
    is_native,
    with_entry,
)
from assay.tasks.readers.function_call import FunctionCall, recorded_call
from assay.tasks.readers.kernelbench import literals_of, read_source

FLAGS = ("-O3", "--use_fast_math")  # those of the format, where a solution gives none
_NATIVE = (".cu", ".cpp", ".cc", ".cxx", ".c")

_TVM_FFI = """\
import os

import tvm_ffi.cpp

_here = os.path.dirname(os.path.abspath(__file__))
{function} = getattr(
    tvm_ffi.cpp.load(
        name="submission",
        cuda_files=[os.path.join(_here, name) for name in {cuda!r}],
        cpp_files=[os.path.join(_here, name) for name in {cpp!r}],
        extra_include_paths=[_here],
    ),
    {function!r},
)
"""


@dataclass(frozen=True)
class SolutionEntry:
    """Which function is called, and how."""

    function: str = RUN
    writes_outputs: bool | None = None  # None: by the number of its parameters
    binding: str = "torch"  # of native files
    flags: tuple[str, ...] = FLAGS

    def text(self) -> str:
        """For `Candidate.entry`."""
        return json.dumps(asdict(self), sort_keys=True)


def entry_of(candidate: Candidate) -> SolutionEntry:
    """What `load_solution` left in the candidate; of a plain file the function `run`."""
    if not candidate.entry.startswith("{"):
        return SolutionEntry()
    fields = json.loads(candidate.entry)
    return SolutionEntry(**{**fields, "flags": tuple(fields["flags"])})


def is_solution(told: Any) -> bool:
    """Whether the content of a JSON file has the fields of a solution."""
    return isinstance(told, dict) and told.keys() >= {"definition", "spec", "sources"}


def load_solution(path: Path) -> Candidate:
    """The candidate of a JSON file."""
    try:
        told = json.loads(read_source(path))
        if not is_solution(told):
            raise UsageError(f"{path} is no solution: it lacks definition, spec or sources")
        return _candidate(told, path)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is no solution: {error!r}") from error


def _candidate(told: dict[str, Any], path: Path) -> Candidate:
    spec = told["spec"]
    main, _, function = str(spec["entry_point"]).partition("::")
    files = [
        SourceFile(path=_inside(one["path"]), text=_text(one, path)) for one in told["sources"]
    ]
    if main not in {file.path for file in files} or not function.isidentifier():
        raise UsageError(f"{path}: the entry point {spec['entry_point']} is not among its sources")
    sources = tuple(sorted(files, key=lambda file: file.path != main))
    native = not main.endswith(".py")
    options = spec.get("compile_options") or {}
    entry = SolutionEntry(
        function=function,
        writes_outputs=bool(spec.get("destination_passing_style", True)),
        binding=str(
            spec.get("binding") or ("tvm-ffi" if native and "language" in spec else "torch")
        ),
        flags=tuple(options.get("cuda_cflags", FLAGS)),
    )
    language = detect_language(sources)
    return Candidate(name=str(path), language=language, sources=sources, entry=entry.text())


def _inside(name: str) -> str:
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts:
        raise UsageError(f"the source {name} lies outside the solution")
    return place.as_posix()


def _text(source: dict[str, Any], path: Path) -> str:
    """The content, or, where it is empty, that of the file beside the solution."""
    return source.get("content") or read_source(path.parent / _inside(source["path"]))


def adapted_to(candidate: Candidate, task: Task) -> Candidate:
    """The candidate behind a `ModelNew` that calls its function as the task's `Model` does."""
    call = recorded_call(task.source)
    memory = literals_of(module_tree(task.source)).get(OUTPUTS)
    if has_entry(candidate) or call is None or not isinstance(memory, dict):
        return candidate
    entry = entry_of(candidate)
    arguments = _arguments(call)
    writes = entry.writes_outputs
    if writes is None:
        takes = _parameters(candidate.main.text, entry.function)
        writes = takes == len(arguments) + len(memory)
    body = _writing(entry, call, memory) if writes else _returning(entry, call)
    added = f"import torch\n\n\n{IN_ORDER.format(names=list(memory))}\n\n{body}"
    return _behind(candidate, entry, added)


def _arguments(call: FunctionCall) -> list[str]:
    """Of the recorded call, in its order, as expressions of `forward`."""
    made = expression_tree(call.expression).body
    inner = made.args[0] if isinstance(made, ast.Call) else made
    if not isinstance(inner, ast.Call):
        return []
    return [ast.unparse(part) for part in (*inner.args, *(k.value for k in inner.keywords))]


def _returning(entry: SolutionEntry, call: FunctionCall) -> str:
    arguments = ", ".join(_arguments(call))
    made = FunctionCall(
        entry.function, f"in_order({entry.function}({arguments}))", call.inputs, call.settings
    )
    return made.module_class(ENTRY)


def _writing(entry: SolutionEntry, call: FunctionCall, memory: dict[str, str]) -> str:
    """Outputs are made by the entry, given after the inputs, and are the result."""
    given = ", ".join(_arguments(call))
    made = f"in_order(written([{', '.join(memory.values())}], {given}))"
    helper = (
        f"def written(outputs, *given):\n    {entry.function}(*given, *outputs)\n"
        "    return outputs\n\n\n"
    )
    return helper + FunctionCall(entry.function, made, call.inputs, call.settings).module_class(
        ENTRY
    )


def _parameters(text: str, function: str) -> int:
    """How many the function takes; -1 where it cannot be seen."""
    try:
        tree = module_tree(text)
    except (SyntaxError, ValueError):
        return -1
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return len(node.args.posonlyargs) + len(node.args.args)
    return -1


def _behind(candidate: Candidate, entry: SolutionEntry, added: str) -> Candidate:
    """The candidate with the entry file first; Python files keep their names."""
    if is_native(candidate):
        if entry.binding != "torch":
            names = [file.path for file in with_entry(candidate, "").sources[1:]]
            loaded = _TVM_FFI.format(
                function=entry.function,
                cuda=[name for name in names if name.endswith(".cu")],
                cpp=[name for name in names if name.endswith(_NATIVE[1:])],
            )
        else:
            loaded = extension_text(candidate, "_extension", entry.flags)
            loaded += f"{entry.function} = _extension.{entry.function}\n"
        return with_entry(candidate, f"{loaded}\n{added}")
    return _beside_own_files(candidate, entry.function, added)


def _beside_own_files(candidate: Candidate, function: str, added: str) -> Candidate:
    """Python files keep their names, but for `kernel.py`: the entry file is called that.

    Where another file of the author imports `kernel`, it finds there what it looks for.
    """
    renamed = {MAIN: f"{SUBMISSION}.py"}
    own = tuple(
        file.model_copy(update={"path": renamed.get(file.path, file.path)})
        for file in candidate.sources
    )
    relative = any(re.search(r"^\s*from\s+\.", file.text, re.MULTILINE) for file in own)
    dot = "." if relative else ""
    lines = []
    if MAIN in {file.path for file in candidate.sources[1:]}:
        lines.append(f"from {dot}{SUBMISSION} import *")
    module = ".".join(PurePosixPath(own[0].path).with_suffix("").parts)
    lines.append(f"from {dot}{module} import {function}")
    taken = {file.path for file in own}
    name = next(n for n in ("entry.py", "model_new.py", "model_new_entry.py") if n not in taken)
    sources = (SourceFile(path=name, text="\n".join([*lines, added])), *own)
    changes = {"sources": sources, "entry": ENTRY, "language": detect_language(sources)}
    return candidate.model_copy(update=changes)
