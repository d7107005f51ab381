"""InductorCppSource: the C++ that torch.compile writes for a CPU, as a candidate of its own.

The candidate holds the text and compiles it by itself: nothing of torch.compile runs when it is
judged. It answers the sizes that Inductor's guards allow, in the task's own dtypes, and raises an
error elsewhere.

The rule: what Inductor leaves to a library stays a library call; a task of which nothing else is
left has no candidate, and the reason says so.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.dynamo_source import source_expression
from assay.generators.inductor_module import CppKernel, inductor_module
from assay.generators.inductor_process import CompiledReference, read_answer
from assay.generators.model_module import ModelModule

TIMEOUT_S = 300.0
_INCLUDE = re.compile(r"^\s*#include[^\n]*\n", re.MULTILINE)
_SYMBOL = re.compile(r"\bs\d+\b")

_BUILD = """
def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    folders = ["-I" + one for one in include_paths()] + ["-L" + one for one in library_paths()]
    libraries = ["-ltorch_cpu", "-lc10"]
    command = ["g++", *FLAGS, "-o", path + ".so", path, *folders, *libraries]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")


def require_layout(tensor, size, stride):
    strides = zip(tensor.shape, tensor.stride(), stride)
    if tuple(tensor.shape) != tuple(size) or any(n > 1 and a != b for n, a, b in strides):
        raise ValueError("this kernel was written for another layout")


def require_input(tensor, dtype):
    if tensor.dtype != dtype:
        raise TypeError(f"this kernel was written for {dtype}")
"""


class InductorCppSource(CandidateSource):
    """One fused C++ source a task, written by torch.compile."""

    name = "inductor-cpp"

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s

    def candidate(self, task: Task) -> Candidate | NoCandidate:
        """Compile the reference in a process, and make a candidate of what was written."""
        start = time.perf_counter()
        try:
            text = candidate_text(task, self._compiled(task))
        except subprocess.TimeoutExpired:
            return NoCandidate(f"torch.compile did not end within {self._timeout_s:.0f} s")
        except (SyntaxError, ValueError) as error:
            return NoCandidate(str(error))
        return self.made(task, text, time.perf_counter() - start)

    def _compiled(self, task: Task) -> CompiledReference:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "task.py").write_text(task.source, encoding="utf-8")
            (place / "entry").write_text(task.entry, encoding="utf-8")
            command = [sys.executable, "-m", "assay.generators.inductor_process", folder]
            ended = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=self._timeout_s, check=False
            )
            if not (place / "answer.json").exists():
                raise ValueError(f"the compiling process ended with {ended.returncode}")
            return read_answer(place / "answer.json")


def candidate_text(task: Task, compiled: CompiledReference) -> str:
    """The candidate's Python file. What stands in the way is a ValueError."""
    module = inductor_module(compiled.module)
    if not module.kernels:
        called = ", ".join(module.library_calls)
        raise ValueError(f"Inductor writes no kernel for this task: it calls {called or 'nothing'}")
    model = ModelModule(task.source, task.entry)
    model.replace_forward(forward_lines(model, compiled))
    head = ["import ctypes", "import os", "import subprocess", "import tempfile"]
    parts = [
        f'"""Written by torch.compile for the task {task.id}; compiled here as it stands."""',
        "\n".join([*head, "from torch.utils.cpp_extension import include_paths, library_paths"]),
        model.text(with_title=False),
        f"FLAGS = {list(compiled.flags)!r}",
        f"SOURCE = r'''{_cpp_source(module.kernels)}'''",
        _BUILD.strip("\n"),
        "LIB = build(SOURCE)",
        "\n".join(_argument_types(one) for one in module.kernels),
        module.call,
    ]
    return "\n\n".join(parts) + "\n"


def forward_lines(model: ModelModule, compiled: CompiledReference) -> list[str]:
    """Hand the arguments over in the order that `call` has them in."""
    lines, given = [], []
    for name, dtype in zip(compiled.arguments, compiled.tensors, strict=True):
        value = source_expression(name)
        if dtype and value in model.parameters:
            lines.append(f"require_input({value}, {dtype})")
            if not compiled.updates_inputs:
                value = f"{value}.contiguous()"
        elif dtype:
            value = f"{value}.detach()"
        given.append(value)
    lines += _size_check(compiled)
    answer = "tuple(outputs)" if compiled.returns_tuple else "outputs[0]"
    return [*lines, f"outputs = call([{', '.join(given)}])", f"return {answer}"]


def _size_check(compiled: CompiledReference) -> list[str]:
    """Inductor's guards: its source is right for the sizes that they allow."""
    named = {name for one in compiled.conditions for name in _SYMBOL.findall(one)}
    sources = {name: source for name, source in compiled.sizes if name in named}
    if unknown := sorted(named - set(sources)):
        raise ValueError(f"Inductor's guards name {', '.join(unknown)}, which is no size")
    if not compiled.conditions:
        return []
    return [
        *(f"{name} = {source_expression(source)}" for name, source in sources.items()),
        f"if not ({' and '.join(f'({one})' for one in compiled.conditions)}):",
        "    raise ValueError('this kernel was written for other sizes or constants')",
    ]


def _cpp_source(kernels: tuple[CppKernel, ...]) -> str:
    """All kernels as one source, with each include once."""
    includes = dict.fromkeys(line for one in kernels for line in _INCLUDE.findall(one.source))
    bodies = [_INCLUDE.sub("", one.source).strip() for one in kernels]
    return "\n" + "".join(line.lstrip() for line in includes) + "\n" + "\n\n".join(bodies) + "\n"


def _argument_types(kernel: CppKernel) -> str:
    types = ", ".join(f"ctypes.{one}" for one in kernel.ctypes)
    return f"LIB.{kernel.name}.argtypes = [{types}]"
