"""robust-kbench: a folder a task, a functional reference with configurations, forward and backward.

The rule: a case is one element of the product init x input x shared, shared values over the others;
the first case of the format's own list is the task, every other one is a task of its own, `ID@N`.
Candidates are one CUDA file with `forward` or `backward`, called as `Model` calls its `fn`.
"""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.readers.entry_file import (
    SUBMISSION,
    extension_text,
    has_entry,
    is_native,
    with_entry,
)
from assay.tasks.readers.folder_reader import FolderReader
from assay.tasks.readers.kernelbench import read_source, title_of
from assay.tasks.readers.model_without_reference import module_text
from assay.tasks.readers.slices.function_source import defined_names
from assay.tasks.references.backward import SUFFIX, backward_of
from assay.tasks.unread import Unread

FLAGS = ("-O3", "--use_fast_math")  # those that the format compiles with
_DIRECTIONS = ("forward", "backward")
_KINDS = ("init", "input", "shared")
_CASE = "@"

_ADDED = """\
{reference}


# Added by the reader: one case of the task's configurations.
{constants}
_inputs_of_case = get_inputs


def get_inputs():
    return _inputs_of_case({inputs})


def get_init_inputs():
    return {{{settings}}}
"""


@dataclass(frozen=True)
class Case:
    """The arguments of one case, by the function that takes them."""

    init: dict[str, Any]
    input: dict[str, Any]


class RobustKBenchReader(FolderReader):
    """`robust_kbench:FOLDER`: a task's folder, or any folder above some."""

    name = "robust_kbench"
    lacks = "no func_forward.py with a config beside it"

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """CUDA files of the task's direction, in its folder or in `NAME/DIRECTION` below."""
        task = self.load(place, task_id)
        function = Path(task.origin)
        direction = function.stem.removeprefix("func_")
        name = function.parent.name
        own = [*function.parent.glob(f"{direction}.cu"), *place.rglob(f"{direction}.cu")]
        own += place.rglob(f"{name}/{direction}/*.cu")
        return tuple(sorted({p for p in own if name in p.parts}))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that hands the compiled function to the task's own module."""
        if has_entry(candidate):
            return candidate
        direction = Path(task.origin).stem.removeprefix("func_")
        if is_native(candidate):
            function = extension_text(candidate, "_extension", FLAGS)
            function += f"{direction} = _extension.{direction}\n"
        else:
            function = f"from {SUBMISSION} import {direction}\n"
        return with_entry(candidate, function + "\n" + module_text(task.source, direction))

    def walk(self, place: Path) -> Iterator[Task | Unread]:
        """Every case of every problem."""
        if not place.is_dir():
            raise UsageError(f"no such folder: {place}")
        for function in _functions(place):
            try:
                yield from self._cases(function, place)
            except UsageError as error:
                yield Unread(str(function), str(error).removeprefix(f"{function}: "))

    def _cases(self, function: Path, place: Path) -> Iterator[Task]:
        direction = function.stem.removeprefix("func_")
        source = read_source(function)
        try:
            tree = module_tree(source)
        except (SyntaxError, ValueError) as error:
            raise UsageError(f"{function}: not Python: {error}") from error
        takes = _parameters(tree)
        for number, case in enumerate(_product(function.parent / f"config_{direction}.json")):
            mark = f"{_CASE}{number}" if number else ""
            task = Task(
                id=_name(function.parent, place) + mark,
                title=title_of(tree),
                format=self.name,
                source=_source(source, _given(case, takes), defined_names(tree)),
                tags=(direction, *_filtered(function.parent)),
                origin=str(function.resolve()),
                licence="Apache-2.0",
            )
            yield _with_gradients(task) if direction == "backward" else task


def _with_gradients(task: Task) -> Task:
    made = backward_of(task)
    place, mark, number = task.id.partition(_CASE)
    return made.model_copy(update={"id": f"{place}{SUFFIX}{mark}{number}"})


def _functions(place: Path) -> tuple[Path, ...]:
    """The references below a folder: forward before backward, in natural order."""
    found = [p for d in _DIRECTIONS for p in place.rglob(f"func_{d}.py") if p.is_file()]
    return tuple(sorted(found, key=lambda p: (_order(p.parent), _DIRECTIONS.index(p.stem[5:]))))


def _order(folder: Path) -> list[tuple[int, str]]:
    parts = "/".join(folder.parts).replace("_", "/").split("/")
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _name(folder: Path, place: Path) -> str:
    """The folder's name; of a converted benchmark `level_1/task_2`."""
    inside = folder.relative_to(place).parts if folder != place else ()
    return "/".join(inside[-2:] if folder.name.startswith("task_") else [folder.name])


def _product(config: Path) -> list[Case]:
    """Every case: the single ones first, then those of the multiple lists, each once."""
    try:
        told = json.loads(read_source(config))
        cases = [
            Case({**init, **shared}, {**given, **shared})
            for group in ("single", "multi")
            for init, given, shared in itertools.product(
                *(told[f"{group}_{kind}_configs"] for kind in _KINDS)
            )
            if group == "single" or init or given or shared
        ]
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{config} is no list of configurations: {error!r}") from error
    return [case for i, case in enumerate(cases) if case not in cases[:i]]


def _parameters(tree: ast.Module) -> dict[str, list[str]]:
    """What `get_inputs` and the constructor of `Model` take."""
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "get_inputs":
            found["input"] = [arg.arg for arg in node.args.args]
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            inits = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            made = [n for n in inits if n.name == "__init__"]
            found["init"] = [arg.arg for n in made for arg in n.args.args[1:]]
    missing = [name for name in ("input", "init") if name not in found]
    if missing:
        raise UsageError("it defines no get_inputs or no Model")
    return found


def _given(case: Case, takes: dict[str, list[str]]) -> Case:
    """Of the values those that each function takes: shared ones are given to both."""
    return Case(
        {name: value for name, value in case.init.items() if name in takes["init"]},
        {name: value for name, value in case.input.items() if name in takes["input"]},
    )


def _source(reference: str, case: Case, taken: frozenset[str]) -> str:
    """The module with the values of the case as names, which become the task's axes."""
    values = {**case.init, **case.input}
    names = {name: f"{name}_" if name in taken else name for name in values}
    return _ADDED.format(
        reference=reference.strip("\n"),
        constants="".join(f"{names[n]} = {v!r}\n" for n, v in values.items()),
        inputs=", ".join(f"{n}={names[n]}" for n in case.input),
        settings=", ".join(f"{n!r}: {names[n]}" for n in case.init),
    )


def _filtered(folder: Path) -> tuple[str, ...]:
    """What the benchmark's own filters found wrong with the task."""
    place = folder / "filter_results.json"
    if not place.is_file():
        return ()
    try:
        told = json.loads(place.read_text(encoding="utf-8"))
    except ValueError:
        return ("filter_results.json is not JSON",)
    return tuple(f"its own filter: {name}" for name, value in _flags(told) if value is True)


def _flags(told: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(told, dict):
        for name, value in told.items():
            yield name, value
            yield from _flags(value)
