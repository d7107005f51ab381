"""Plain format: a Python function with annotations, and the shapes of its tensors in `SHAPES`.

The rule: a parameter that `SHAPES` names is a tensor, every other one is a setting with a default.
A shape is of numbers, or of names of the module, so that sizes can follow each other. Where
`SHAPES` is a list, each of its dicts is a task: `ID`, `ID@1`, ...
"""

from __future__ import annotations

import ast
import glob
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.reader import Reader
from assay.tasks.readers.definitions.definition import TensorSpec
from assay.tasks.readers.definitions.random_values import draw
from assay.tasks.readers.entry_file import with_call
from assay.tasks.readers.function_call import FunctionCall, recorded_call
from assay.tasks.readers.kernelbench import contract_of, literals_of, read_source
from assay.tasks.unread import Unread

_SHAPES, _DTYPES, _RANGES = "SHAPES", "DTYPES", "RANGES"
_CASE = "@"
_ADDED = """\
{text}


# Added by the reader: the function as a module, and its inputs.
import torch

{record}

{model}

def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return [{settings}]
"""


class PlainReader(Reader):
    """`plain:FILE`, or a folder of which files with `SHAPES` count."""

    name = "plain"

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every case of every file."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no task: no .py file there has a function and SHAPES")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Files with `SHAPES` that give no task."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; a file of its own needs none."""
        if place.is_file():
            _checked_text(place)
        found = self.list(place)
        for task in found:
            if task.id == task_id or (task_id is None and place.is_file()):
                return task
        known = ", ".join(task.id for task in found[:8]) + (", ..." if len(found) > 8 else "")
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files named `ID__NAME.py` beside the task's own."""
        origin = Path(self.load(place, task_id).origin)
        return tuple(sorted(origin.parent.glob(f"{glob.escape(origin.stem)}__*.py")))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls the candidate's function of the task's name."""
        call = recorded_call(task.source)
        return candidate if call is None else with_call(candidate, call)

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        if not place.exists():
            raise UsageError(f"no such file or folder: {place}")
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            try:
                yield from self._tasks(path)
            except UsageError as error:
                yield Unread(str(path), str(error))

    def _tasks(self, path: Path) -> Iterator[Task]:
        text = read_source(path)
        if _SHAPES not in text:
            return
        tree = _tree(text)
        told = _named_sizes(tree) | literals_of(tree)
        if _SHAPES not in told:
            return
        shapes = told[_SHAPES]
        for number, case in enumerate(shapes if isinstance(shapes, list) else [shapes]):
            node = _function(tree, case)
            yield Task(
                id=path.stem + (f"{_CASE}{number}" if number else ""),
                title=(ast.get_docstring(node) or ast.get_docstring(tree) or "").split("\n")[0],
                format=self.name,
                source=_source(text, node, case, told),
                contract=contract_of(tree, path),
                origin=str(path.resolve()),
            )


def _tree(text: str) -> ast.Module:
    try:
        return module_tree(text)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"it is not Python: {error}") from error


def _named_sizes(tree: ast.Module) -> dict[str, Any]:
    """Those of `rows, columns = 64, 96`, which binds several names."""
    found: dict[str, Any] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for name, value in zip(names, values, strict=False):
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                        found[name.id] = value.value
    return found


def _checked_text(path: Path) -> None:
    """UsageError, with the mend, where the file is no task."""
    if _SHAPES not in literals_of(_tree(read_source(path))):
        raise UsageError(f'{path} has no literal {_SHAPES}, such as SHAPES = {{"x": (512, 1024)}}')


def _function(tree: ast.Module, case: Any) -> ast.FunctionDef:
    """The only function whose parameters are those of the case, but for ones with a default."""
    if not isinstance(case, dict) or not case:
        raise UsageError(f"{_SHAPES} is no dict of shapes, nor a list of them")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    fitting = [node for node in functions if case.keys() <= set(_parameters(node))]
    if len(fitting) != 1:
        names = ", ".join(node.name for node in fitting) or "none"
        raise UsageError(f"one function takes {', '.join(case)}; here it is {names}")
    node = fitting[0]
    bare = [n for n, default in _parameters(node).items() if n not in case and default is None]
    if bare:
        raise UsageError(f"{node.name}: {', '.join(bare)} is not in {_SHAPES} and has no default")
    return node


def _parameters(node: ast.FunctionDef) -> dict[str, ast.expr | None]:
    """Names with their defaults."""
    given = [*node.args.posonlyargs, *node.args.args]
    missing = [None] * (len(given) - len(node.args.defaults))
    found = dict(zip((one.arg for one in given), [*missing, *node.args.defaults], strict=True))
    words = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return found | {one.arg: default for one, default in words}


def _source(text: str, node: ast.FunctionDef, case: dict[str, Any], told: dict[str, Any]) -> str:
    """The module; the tensors are inputs in the order of the function's parameters."""
    parameters = _parameters(node)
    tensors = [name for name in parameters if name in case]
    settings = {n: default for n, default in parameters.items() if n not in case and default}
    given = [f"{name}={name if name in case else f'self.{name}'}" for name in parameters]
    call = FunctionCall(
        node.name, f"{node.name}({', '.join(given)})", tuple(tensors), tuple(settings)
    )
    return _ADDED.format(
        text=text.strip("\n"),
        record=call.record(),
        model=call.module_class("Model"),
        inputs=", ".join(_drawn(name, case[name], told) for name in tensors),
        settings=", ".join(ast.unparse(default) for default in settings.values()),
    )


def _drawn(name: str, shape: Any, told: dict[str, Any]) -> str:
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    for size in sizes:
        known = isinstance(told.get(size), int) if isinstance(size, str) else type(size) is int
        if not known:
            raise UsageError(f"{_SHAPES}: {size!r} of '{name}' is no size nor a name of one")
    dtypes, ranges = told.get(_DTYPES, {}), told.get(_RANGES, {})
    dtype = str(dtypes.get(name, "float32") if isinstance(dtypes, dict) else dtypes)
    words = tuple(str(size) for size in sizes)
    if isinstance(ranges, dict) and name in ranges:
        low, high = ranges[name]
        size = f"({', '.join(words)}{',' if len(words) == 1 else ''})"
        return f"torch.randint({low}, {high}, {size}, dtype=torch.{dtype})"
    return draw(TensorSpec(name, words, dtype), words)
