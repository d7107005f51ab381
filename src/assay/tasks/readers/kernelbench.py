"""KernelBench format: a .py file with `Model`, `get_inputs` and `get_init_inputs`.

The rule: a file that cannot be used is the user's mistake, told in one line with the mend.
"""

from __future__ import annotations

import ast
import glob
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.data.contract import Contract
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.reader import Reader
from assay.tasks.references.backward import DECLARATION, SUFFIX, backward_of
from assay.tasks.unread import Unread

_CONTRACT: TypeAdapter[Contract] = TypeAdapter(Contract)
REQUIRED = ("Model", "get_inputs", "get_init_inputs")
_CANDIDATE = "ModelNew"
_NUMBERED = re.compile(r"\d+_")
_REQUIRED_WORDS = "Model, get_inputs and get_init_inputs"


class KernelBenchReader(Reader):
    """Reads one file, or a folder of files of which those in the format count."""

    name = "kernelbench"

    def load(self, place: Path, task_id: str | None) -> Task:
        """The file itself, or the file in the folder whose stem is `task_id`."""
        if _is_folder(place):
            return read_file(self._in_folder(place, task_id))
        if task_id == place.stem + SUFFIX:
            return _backward(place)
        if task_id is not None and task_id != place.stem:
            raise UsageError(f"{place} holds one task, '{place.stem}', not '{task_id}'")
        return read_file(place)

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every file under `place` that has the three names; others are left out."""
        if place.is_file():
            return (read_file(place),)
        if not place.is_dir():
            raise UsageError(f"no such file or folder: {place}")
        found = tuple(read_file(path) for path in task_files(place))
        if not found:
            raise UsageError(f"{place} holds no task: no .py file there defines {_REQUIRED_WORDS}")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Files under the number of a problem, or with two of the three names, that are no task.

        A file that defines a candidate is none of them.
        """
        if not place.is_dir():
            return ()
        found = ((path, _fault(path)) for path in sorted(place.rglob("*.py")) if path.is_file())
        return tuple(Unread(str(path), fault) for path, fault in found if fault)

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files named `ID__NAME.py` beside the task's own."""
        task = self._in_folder(place, task_id) if _is_folder(place) else place
        return tuple(sorted(task.parent.glob(f"{glob.escape(task.stem)}__*.py")))

    def _in_folder(self, folder: Path, task_id: str | None) -> Path:
        paths = task_files(folder)
        if not paths:
            raise UsageError(f"{folder} holds no task: no .py file there defines {_REQUIRED_WORDS}")
        if task_id is None:
            raise UsageError(
                f"{folder} is a folder: give one of its files, or kernelbench:{folder}#ID with one "
                f"of {_some(paths)}"
            )
        for path in paths:
            if path.stem == task_id:
                return path
        raise UsageError(f"no task '{task_id}' in {folder}; it has {_some(paths)}")


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:  # longer than any path may be: reading it says so
        return False


def _some(paths: list[Path], at_most: int = 8) -> str:
    """The first few stems, for a one-line message."""
    stems = [path.stem for path in paths]
    more = f", ... ({len(stems)} in all)" if len(stems) > at_most else ""
    return ", ".join(stems[:at_most]) + more if stems else "no task files"


def task_files(folder: Path) -> list[Path]:
    """The task files below `folder`, in natural order of their names."""
    found = [path for path in folder.rglob("*.py") if path.is_file() and not _missing_in(path)]
    return sorted(found, key=lambda path: [_natural(part) for part in path.parts])


def _natural(text: str) -> list[tuple[int, str]]:
    """A sort key in which 2_x comes before 10_x."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _missing_in(path: Path) -> tuple[str, ...]:
    try:
        return missing_names(module_tree(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError):
        return REQUIRED


def _fault(path: Path) -> str:
    """Why a file that looks like a task is none; empty for a task and for any other file."""
    numbered = _NUMBERED.match(path.stem) is not None
    try:
        tree = module_tree(read_source(path), path.name)
    except UsageError as error:
        return str(error) if numbered else ""
    except (SyntaxError, ValueError) as error:
        return f"it is not Python: {error}" if numbered else ""
    missing = missing_names(tree)
    if not missing or _defines(tree, _CANDIDATE):
        return ""
    looks_like_one = numbered or len(missing) == 1
    return f"it has no {', '.join(missing)}" if looks_like_one else ""


def missing_names(tree: ast.Module) -> tuple[str, ...]:
    """Which of the three names the module does not define or import at its top level."""
    defined: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return tuple(name for name in REQUIRED if name not in defined)


def _defines(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body)


def read_source(path: Path) -> str:
    """The text of a task file; UsageError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        mend = "give a path to a .py file or a native id"
        raise UsageError(f"no such task file: {path}; {mend}") from error
    except OSError as error:
        shown = str(path) if len(str(path)) <= 200 else f"{str(path)[:100]}..."
        raise UsageError(f"cannot read {shown}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from error


def read_file(path: Path) -> Task:
    """One file as a task; its id is the stem, its origin the absolute path."""
    task = _task(read_source(path), str(path))
    return task.model_copy(update={"id": path.stem, "origin": str(path.resolve())})


def task_of_text(source: str) -> Task:
    """A source that stands in no file."""
    try:
        source.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the task's source is not text: {error.reason}") from error
    return _task(source, "the task's source")


def _task(source: str, place: str) -> Task:
    """A task without a place of its own; `place` is what mistakes are told by."""
    try:
        tree = module_tree(source)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{place} is not Python: {error}") from error
    missing = missing_names(tree)
    if missing and _defines(tree, _CANDIDATE):
        raise UsageError(
            f"{place} defines {_CANDIDATE}, so it is a candidate: a task comes first "
            "(assay eval TASK CANDIDATE)"
        )
    if missing:
        raise UsageError(f"{place} has no {', '.join(missing)}: define it at the top level")
    return Task(
        id="source_text",
        title=title_of(tree),
        format=KernelBenchReader.name,
        source=source,
        contract=contract_of(tree, place),
    )


def _backward(path: Path) -> Task:
    """The task of the gradients of one file, which has to declare that it has them."""
    task = read_file(path)
    if literals_of(module_tree(task.source)).get(DECLARATION) is not True:
        raise UsageError(f"{path} does not say {DECLARATION} = True at its top level")
    return backward_of(task)


def literals_of(tree: ast.Module) -> dict[str, Any]:
    """Every top-level `NAME = literal` of the module."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue  # a computed value: not a declaration
    return found


def contract_of(tree: ast.Module, path: Path | str) -> Contract | None:
    """What the module declares as `CONTRACT`, where it does."""
    return declared_contract(literals_of(tree).get("CONTRACT"), path)


def declared_contract(declared: object, path: Path | str) -> Contract | None:
    """The contract that a literal stands for; None where it stands for none."""
    if not isinstance(declared, dict) or "kind" not in declared:
        return None  # somebody else's constant of that name
    try:
        made: Contract = _CONTRACT.validate_python(declared)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise UsageError(f"{path}: CONTRACT {place}: {problem['msg']}") from error
    return made


def title_of(tree: ast.Module) -> str:
    """The first line of the docstring of `Model`, else of the module."""
    nodes: list[ast.Module | ast.ClassDef] = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"
    ]
    for node in [*nodes, tree]:
        text = ast.get_docstring(node)
        if text:
            return text.strip().splitlines()[0].strip()
    return ""
