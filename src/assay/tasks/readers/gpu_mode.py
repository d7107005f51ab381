"""GPU MODE: a folder a problem, with task.yml, reference.py and what they name beside them.

The rule: every case is a task, benchmarks before tests: `ID`, `ID@1`, ... The files that a
reference imports stand before it in one module. A submission gets them too, but not the reference.
Memory that `generate_input` makes for the answer is made anew for each call, and is no input.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from assay.data.candidate import Candidate, SourceFile
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import ENTRY
from assay.python_tree import module_tree
from assay.tasks.reader import Reader
from assay.tasks.readers.answer_memory import answer_memory
from assay.tasks.readers.cpu_text import on_cpu
from assay.tasks.readers.entry_file import SUBMISSION, has_entry, with_entry
from assay.tasks.readers.function_call import FunctionCall, recorded_call
from assay.tasks.readers.kernelbench import read_source
from assay.tasks.readers.slices.function_source import defined_names
from assay.tasks.unread import Unread

_TASK, _REFERENCE, _SUBMISSION = "task.yml", "reference", "@SUBMISSION@"
_MAKES, _ANSWERS, _CANDIDATE = "generate_input", "ref_kernel", "custom_kernel"
_FUTURE = "from __future__ import annotations\n"
_CASE = "@"
_SEED = "seed"

# What its checks accept: they subtract, so that the dtype of an answer is left open.
_AS_ASKED = """\
def as_asked(answer, like):
    if not (isinstance(answer, torch.Tensor) and isinstance(like, torch.Tensor)):
        return answer
    if answer.dtype == torch.float64 and like.is_floating_point():
        answer = answer.to(like.dtype)
    return answer.reshape(like.shape) if answer.numel() == like.numel() == 1 else answer


"""

_ADDED = """\
{files}

# Added by the reader: one case of the task.
import random

import torch

{constants}{record}

{asked}{model}

def get_inputs():
    made = {makes}({arguments})
    return {returned}


def get_init_inputs():
    return []
"""


@dataclass(frozen=True)
class Problem:
    """What task.yml and the files that it names say."""

    folder: Path
    title: str
    texts: dict[str, str]  # of Python files, by the name under which they are imported
    cases: tuple[tuple[str, dict[str, Any]], ...]  # whether a benchmark or a test, and its values
    one_input: bool
    memory: tuple[bool, ...]  # which of several inputs are memory for the answer
    takes: tuple[str, ...]  # parameters of `generate_input`
    files: str  # all texts as one module
    taken: frozenset[str]  # names that the module defines


class GpuModeReader(Reader):
    """`gpu_mode:FOLDER`: one problem's folder, or any folder above some."""

    name = "gpu_mode"

    def list(self, place: Path) -> tuple[Task, ...]:
        """Every case of every problem."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no task: no {_TASK} with a {_REFERENCE}.py beside it")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Problems that give no task."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; a folder of one problem needs none."""
        found = self.list(place)
        for task in found:
            if task.id == task_id or (task_id is None and len(_folders(place)) == 1):
                return task
        known = ", ".join(task.id for task in found[:8]) + (", ..." if len(found) > 8 else "")
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """`submission*.py` beside the task, and what lies in its folders of solutions."""
        folder = Path(self.load(place, task_id).origin).parent
        found = [*folder.glob("submission*.py")]
        for below in ("solutions", "submissions"):
            found += (folder / below).rglob("*.py")
        return tuple(sorted(found))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls `custom_kernel`, beside the files that it imports."""
        call = recorded_call(task.source)
        if has_entry(candidate) or call is None:
            return candidate
        made = with_entry(candidate, _entry(call))
        given = {file.path for file in made.sources}
        beside = Path(task.origin).parent
        texts = _texts(_yaml(beside / _TASK), beside) if (beside / _TASK).is_file() else {}
        files = tuple(
            SourceFile(path=f"{name}.py", text=texts[name])
            for name in _imported(candidate, texts)
            if name != _REFERENCE and f"{name}.py" not in given
        )
        return made.model_copy(update={"sources": (*made.sources, *files)})

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        if not place.is_dir():
            raise UsageError(f"no such folder: {place}")
        folders = _folders(place)
        names = [folder.name for folder in folders]
        for folder in folders:
            unique = names.count(folder.name) == 1 or folder == place
            name = folder.name if unique else folder.relative_to(place).as_posix()
            try:
                yield from self._tasks(name, _problem(folder))
            except UsageError as error:
                yield Unread(str(folder), str(error))

    def _tasks(self, name: str, problem: Problem) -> Iterator[Task]:
        own_check = not re.search(r"check_implementation\s*=", problem.texts[_REFERENCE])
        for number, (kind, case) in enumerate(problem.cases):
            yield Task(
                id=name + (f"{_CASE}{number}" if number else ""),
                title=problem.title,
                format=self.name,
                source=_source(problem, case),
                tags=(kind, *(["has a check of its own"] if own_check else [])),
                origin=str((problem.folder / f"{_REFERENCE}.py").resolve()),
            )


def _folders(place: Path) -> list[Path]:
    return sorted(path.parent for path in place.rglob(_TASK) if path.is_file())


def _yaml(path: Path) -> dict[str, Any]:
    try:
        told = yaml.safe_load(read_source(path))
    except yaml.YAMLError as error:
        raise UsageError(f"{path.name} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(told, dict):
        raise UsageError(f"{path.name} holds no mapping")
    return told


def _texts(told: dict[str, Any], folder: Path) -> dict[str, str]:
    """The Python files that task.yml names, but the submission and the program that judges."""
    found: dict[str, str] = {}
    main = str((told.get("config") or {}).get("main", "eval.py"))
    for file in told.get("files") or []:
        name, source = str(file.get("name", "")), str(file.get("source", ""))
        if name.endswith(".py") and source != _SUBMISSION and name != main:
            found[name.removesuffix(".py")] = read_source(folder / source)
    return found


def _problem(folder: Path) -> Problem:
    told = _yaml(folder / _TASK)
    if told.get("lang", "py") != "py":
        raise UsageError(f"its reference is in {told['lang']}, not Python")
    cases = tuple(
        (kind, dict(case))
        for kind, group in (("benchmark", "benchmarks"), ("test", "tests"))
        for case in told.get(group) or []
    )
    if told.get("multi_gpu") or any("world_size" in case for _, case in cases):
        raise UsageError("it needs several GPUs that talk to each other")
    texts = _texts(told, folder)
    if _REFERENCE not in texts:
        raise UsageError(f"{_TASK} names no {_REFERENCE}.py")
    if not cases:
        raise UsageError(f"{_TASK} has no case")
    tree = _checked(texts)
    lines = str(told.get("description", "")).strip().splitlines()
    title = lines[0].strip() if lines else ""
    made = _function(tree, _MAKES)
    files = _joined(texts)
    return Problem(
        folder,
        title,
        texts,
        cases,
        one_input=not _makes_tuple(tree, texts),
        memory=answer_memory(made),
        takes=tuple(a.arg for a in (*made.args.args, *made.args.kwonlyargs)) if made else (),
        files=files,
        taken=frozenset(defined_names(module_tree(files))),
    )


def _checked(texts: dict[str, str]) -> ast.Module:
    """The reference; every file is parsed, and the two functions are there."""
    trees = {}
    for name, text in texts.items():
        try:
            trees[name] = module_tree(text)
        except (SyntaxError, ValueError) as error:
            raise UsageError(f"{name}.py is not Python: {error}") from error
    missing = [n for n in (_MAKES, _ANSWERS) if n not in defined_names(trees[_REFERENCE])]
    if missing:
        raise UsageError(f"{_REFERENCE}.py has no {', '.join(missing)}")
    return trees[_REFERENCE]


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[-1] if found else None


def _makes_tuple(tree: ast.Module, texts: dict[str, str]) -> bool:
    """Whether an input is several values, by what is returned or by the type that task.py gives."""
    made = _function(tree, _MAKES)
    returns = [node.value for node in ast.walk(made or tree) if isinstance(node, ast.Return)]
    if any(isinstance(value, ast.Tuple) for value in returns):
        return True
    annotation = re.search(r"input_t\s*=\s*(.+(?:\n\s+.+)*)", texts.get("task", ""))
    return annotation is not None and "uple[" in annotation.group(1)


def _call(problem: Problem) -> FunctionCall:
    """Answers of one dtype: that of the memory for it, else of a single input."""
    inputs = [(f"given[{i}]", memory) for i, memory in enumerate(problem.memory)]
    like = next((one for one, memory in inputs if memory), "")
    if problem.one_input:
        given = "given[0]"
        like = given if "float64" in problem.texts[_REFERENCE] else ""
    elif like:
        parts = (f"torch.empty_like({one})" if memory else one for one, memory in inputs)
        given = f"({', '.join(parts)})"
    else:
        given = "tuple(given)"
    asked = f"{_ANSWERS}({given})"
    return FunctionCall(_ANSWERS, f"as_asked({asked}, {like})" if like else asked, ("*given",))


def _asked(call: FunctionCall) -> str:
    """The function that the call needs beside it."""
    return _AS_ASKED if call.expression.startswith("as_asked(") else ""


def _entry(call: FunctionCall) -> str:
    """The file that asks a submission as the reference is asked."""
    told = replace(call, expression=call.expression.replace(f"{_ANSWERS}(", f"{_CANDIDATE}("))
    imported = f"import torch\n\nfrom {SUBMISSION} import {_CANDIDATE}\n\n\n"
    return imported + _asked(call) + told.module_class(ENTRY)


def _source(problem: Problem, case: dict[str, Any]) -> str:
    """The module of one case; its values are names, and the seed is drawn."""
    takes = problem.takes
    values = {name: value for name, value in case.items() if name in takes and name != _SEED}
    unknown = [name for name in case if name not in takes and name != _SEED]
    if unknown:
        raise UsageError(f"{_MAKES} does not take {', '.join(unknown)} of its cases")
    names = {name: f"{name}_" if name in problem.taken else name for name in values}
    arguments = [f"{name}={names[name]}" for name in values]
    if _SEED in takes:
        arguments.append(f"{_SEED}=random.getrandbits(31)")
    call = _call(problem)
    return _ADDED.format(
        files=problem.files,
        constants="".join(f"{names[name]} = {value!r}\n" for name, value in values.items()),
        record=call.record(),
        asked=_asked(call),
        model=call.module_class("Model"),
        makes=_MAKES,
        arguments=", ".join(arguments),
        returned="[made]" if problem.one_input else "list(made)",
    )


def _joined(texts: dict[str, str]) -> str:
    """All files as one module: the reference last, imports of each other left out."""
    order = [name for name in texts if name != _REFERENCE] + [_REFERENCE]
    parts = [on_cpu(_without_imports(texts[name], frozenset(texts))) for name in order]
    joined = "\n\n".join(part.strip("\n") for part in parts)
    if _FUTURE in joined:
        joined = _FUTURE + joined.replace(_FUTURE, "")
    return joined + "\n"


def _without_imports(text: str, own: frozenset[str]) -> str:
    """The text with lines that import the problem's own files made empty."""
    lines = text.splitlines(keepends=True)
    for node in module_tree(text).body:
        if isinstance(node, ast.ImportFrom) and node.module in own:
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = "\n"
    return "".join(lines)


def _imported(candidate: Candidate, texts: dict[str, str]) -> list[str]:
    """Files of the problem that the candidate imports, and those that these import."""
    words = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
    open_ = [name for file in candidate.sources for name in words.findall(file.text)]
    found: list[str] = []
    while open_:
        name = open_.pop()
        if name in texts and name not in found and name != _REFERENCE:
            found.append(name)
            open_ += words.findall(texts[name])
    return sorted(found)
