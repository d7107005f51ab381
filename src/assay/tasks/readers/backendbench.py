"""BackendBench: traced calls of ATen operators as text, and a folder of answers for each operator.

The rule: a line `cnt: N, ((T([2, 3], f32), 1), {})` under `Operator: aten.add.Tensor` is a task of
the operator, `ID`, then `ID@1`, ... Samples of OpInfo are made by torch and stand in no file; those
that were written down in this form are read like any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.reader import Reader
from assay.tasks.readers.entry_file import with_call
from assay.tasks.readers.function_call import FunctionCall, recorded_call
from assay.tasks.readers.kernelbench import read_source
from assay.tasks.readers.traced_call import TracedCall, traced_call
from assay.tasks.unread import Unread

_OPERATOR = re.compile(r"Operator: (\S+)")
_CALL = re.compile(r"cnt: (\d+), (.*)")
_NAME = re.compile(r"aten\.\w+(\.\w+)?")
_RENAMED = {"aten.sum.SymInt": "aten.sum.dim_IntList"}  # as the format reads its older traces
_CASE = "@"
_ADDED = """\
# A call of an ATen operator, as it was traced.
import torch

{record}

{model}

def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""


class BackendBenchReader(Reader):
    """`backendbench:PATH`: a file of traced calls, or a folder with some and operators' folders."""

    name = "backendbench"

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every traced call."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no traced call: no .txt file has 'Operator: aten....'")
        return tuple(sorted(found, key=lambda task: _order(task.id)))

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Calls that give no task, and operators' folders without a call."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; a place with one operator needs none."""
        found = self.list(place)
        operators = {task.id.partition(_CASE)[0] for task in found}
        for task in found:
            if task.id == task_id or (task_id is None and len(operators) == 1):
                return task
        known = ", ".join(sorted(operators)[:8]) + (", ..." if len(operators) > 8 else "")
        raise UsageError(f"no task '{task_id}' in {place}; it has calls of {known}")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """The implementations in the folder of the task's operator."""
        operator = self.load(place, task_id).id.partition(_CASE)[0]
        folder = folder_of(operator)
        root = place if place.is_dir() else place.parent
        return tuple(sorted(root.rglob(f"{folder}/{folder}_implementation*.py")))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls the operator's `..._kernel_impl` with the same values."""
        call = recorded_call(task.source)
        if call is None:
            return candidate
        function = f"{folder_of(task.id.partition(_CASE)[0])}_kernel_impl"
        arguments = call.expression[call.expression.index("(") :]
        made = FunctionCall(function, function + arguments, call.inputs)
        return with_call(candidate, made)

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        if not place.exists():
            raise UsageError(f"no such file or folder: {place}")
        seen: Counter[str] = Counter()
        for path in [place] if place.is_file() else sorted(place.rglob("*.txt")):
            yield from self._calls(path, seen)
        if place.is_dir():
            known = {folder_of(name) for name in seen}
            for folder in sorted(place.rglob("*")):
                if folder.is_dir() and folder.name not in known and _implementations(folder):
                    yield Unread(str(folder), "no traced call of this operator is there")

    def _calls(self, path: Path, seen: Counter[str]) -> Iterator[Task | Unread]:
        operator = ""
        for number, line in enumerate(read_source(path).splitlines(), 1):
            if named := _OPERATOR.match(line):
                operator = _RENAMED.get(named.group(1), named.group(1))
            elif (call := _CALL.match(line)) and operator:
                case = seen[operator]
                seen[operator] += 1
                try:
                    yield self._task(operator, case, call, path)
                except UsageError as error:
                    yield Unread(f"{path}:{number}", f"{operator}: {error}")

    def _task(self, operator: str, case: int, line: re.Match[str], path: Path) -> Task:
        if not _NAME.fullmatch(operator):
            raise UsageError("it is no ATen operator")
        call = traced_call(line.group(2))
        return Task(
            id=operator + (f"{_CASE}{case}" if case else ""),
            title=f"{operator}, seen {line.group(1)} times",
            format=self.name,
            source=_source(operator, call),
            tags=("synthetic",) if line.group(1) == "0" else ("traced",),
            origin=str(path.resolve()),
        )


def folder_of(operator: str) -> str:
    """`add__Tensor` of `aten.add.Tensor`."""
    name, _, overload = operator.removeprefix("aten.").partition(".")
    return f"{name}__{overload or 'default'}"


def _implementations(folder: Path) -> bool:
    return "__" in folder.name and any(folder.glob(f"{folder.name}_implementation*.py"))


def _order(name: str) -> tuple[str, int]:
    operator, _, case = name.partition(_CASE)
    return operator, int(case or 0)


def _source(operator: str, call: TracedCall) -> str:
    function = f"torch.ops.{operator}"
    made = FunctionCall("torch", f"{function}({call.arguments})", tuple(call.inputs))
    module_tree(made.expression)
    return _ADDED.format(
        record=made.record(),
        model=made.module_class("Model"),
        inputs=", ".join(call.inputs.values()),
    )
