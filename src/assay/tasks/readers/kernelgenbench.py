"""KernelGenBench: operators, each the call that a labelled test makes of the answer under test.

The rule: of every list of parameters one element is taken, a dtype of float32 where there is one
and of sizes the middle. The reference of an ATen operator is torch's own; that of any other is
the baseline's file of its name. An answer defines a function of the operator's name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.reader import Reader
from assay.tasks.readers.entry_file import with_call
from assay.tasks.readers.function_call import FunctionCall, recorded_call
from assay.tasks.readers.kernelbench import read_source
from assay.tasks.readers.slices.call_slice import slice_of
from assay.tasks.readers.slices.device_free import DeviceFree
from assay.tasks.readers.slices.function_source import defined_names, function_source
from assay.tasks.readers.slices.straight_line import CallPlace, call_sites, root_name
from assay.tasks.unread import Unread

_LABEL, _PARAMETERS, _SWITCH = "label", "parametrize", "use_ops"
_ANSWERS, _BASELINES = "triton", "baseline"
_PACKAGES = ("kernelgenbench", "flagbench")  # above a folder of tests: where baselines lie too
# Lists that tests import from the benchmark's own modules: the element that is taken.
_SHARED = {
    "POINTWISE_SHAPES": "(1024, 1024)",
    "REDUCTION_SHAPES": "(4096, 256)",
    "FLOAT_DTYPES": "torch.float32",
    "ALL_FLOAT_DTYPES": "torch.float32",
    "INT_DTYPES": "torch.int32",
    "ALL_INT_DTYPES": "torch.int32",
    "BOOL_TYPES": "torch.bool",
}


@dataclass(frozen=True)
class Labelled:
    """One test of one operator."""

    operator: str
    test: ast.FunctionDef
    path: Path


class KernelGenBenchReader(Reader):
    """`kernelgenbench:FOLDER`: the benchmark, a folder of its tests, or one test's file."""

    name = "kernelgenbench"

    def list(self, place: Path) -> tuple[Task, ...]:
        """One task for each test of each operator; the second of an operator is `OP@1`."""
        found = tuple(one for one in self._read_all(place) if isinstance(one, Task))
        if not found:
            raise UsageError(f"{place} holds no test with @{_LABEL} that can be read")
        return found

    def unread(self, place: Path) -> tuple[Unread, ...]:
        """Labelled tests that give no task."""
        return tuple(one for one in self._read_all(place) if isinstance(one, Unread))

    def load(self, place: Path, task_id: str | None) -> Task:
        """By id; a place with one task needs none."""
        found = self.list(place)
        for task in found:
            if task.id == task_id or (task_id is None and len(found) == 1):
                return task
        known = ", ".join(task.id for task in found[:8]) + (", ..." if len(found) > 8 else "")
        raise UsageError(f"no task '{task_id}' in {place}; it has {known}")

    def candidates(self, place: Path, task_id: str | None) -> tuple[Path, ...]:
        """Files `NAMESPACE__OP.py`, as the benchmark's runs leave them."""
        operator = self.load(place, task_id).id.partition("@")[0]
        root = place if place.is_dir() else place.parent
        return tuple(sorted(root.rglob(f"*__{_function(operator)}.py")))

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        """Behind a `ModelNew` that calls the function of the operator's name."""
        call = recorded_call(task.source)
        if call is None:
            return candidate
        called, _, rest = call.expression.partition("(")
        function = _answering(candidate, _function(task.id.partition("@")[0]), called)
        arguments = f"({rest}"
        return with_call(
            candidate, FunctionCall(function, function + arguments, call.inputs, call.settings)
        )

    def _read_all(self, place: Path) -> Iterator[Task | Unread]:
        if not place.exists():
            raise UsageError(f"no such file or folder: {place}")
        root = place if place.is_dir() else place.parent
        seen: dict[str, int] = {}
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            text = read_source(path)
            if f"@{_LABEL}(" not in text:
                continue
            try:
                for one in _labelled(module_tree(text), path):
                    yield self._task(one, root, seen)
            except (SyntaxError, ValueError) as error:
                yield Unread(str(path), f"it is not Python: {error}")

    def _task(self, one: Labelled, root: Path, seen: dict[str, int]) -> Task | Unread:
        try:
            source = _source(one, root)
        except UsageError as error:
            return Unread(f"{one.path} {one.operator}", str(error))
        number = seen.get(one.operator, 0)
        seen[one.operator] = number + 1
        return Task(
            id=one.operator + (f"@{number}" if number else ""),
            title=(ast.get_docstring(one.test) or "").split("\n")[0],
            format=self.name,
            source=source,
            origin=str(one.path.resolve()),
        )


def _function(operator: str) -> str:
    """What an answer calls its function."""
    return operator.rpartition("::")[2].replace(".", "_")


def _answering(candidate: Candidate, operator: str, called: str) -> str:
    """The operator's name, or, where only that is defined, the name of torch's function."""
    own = called.rpartition(".")[2]
    try:
        defined = defined_names(module_tree(candidate.main.text))
    except (SyntaxError, ValueError):
        return operator
    return own if own in defined and operator not in defined else operator


def _labelled(tree: ast.Module, path: Path) -> Iterator[Labelled]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as word)]):
                        if name == _LABEL:
                            yield Labelled(word, node, path)


def _source(one: Labelled, root: Path) -> str:
    bound = [_bound(decorator) for decorator in one.test.decorator_list]
    before = [node for node in bound if node is not None]
    body = [part for node in (*before, *one.test.body) for part in _split(node)]
    place, namespaced = _place(body)
    statements = DeviceFree().run(place.before)
    call = DeviceFree().expression(place.call)
    if not isinstance(call, ast.Call):
        raise UsageError("the call of the answer is not one of a function")
    baseline = ""
    parameters: list[str] = []
    if namespaced:
        baseline, parameters = _baseline(_function(one.operator), root)
        call.func = ast.Name(_function(one.operator), ast.Load())
    taken = defined_names(module_tree(baseline)) | {"torch"}
    found = slice_of(statements, call, parameters, taken)
    unknown = found.loads - taken - {"torch", _function(one.operator)}
    if unknown:
        raise UsageError(f"its test takes {', '.join(sorted(unknown))} from elsewhere")
    if not found.inputs:
        raise UsageError("none of the arguments is a tensor")
    return function_source(baseline, [], found)


def _bound(decorator: ast.expr) -> ast.stmt | None:
    """The assignment that one `@parametrize("a, b", [...])` stands for."""
    match decorator:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str() as words), values]):
            if name == _PARAMETERS:
                chosen = _chosen(values, words)
                text = f"{words} = {chosen}"
                return module_tree(text).body[0]
    return None


def _split(node: ast.stmt) -> list[ast.stmt]:
    """`a, b = 1, 2` as two statements, so that each value can be a name of the module."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            if len(names) == len(values) and all(isinstance(v, ast.Constant) for v in values):
                pairs = zip(names, values, strict=True)
                made = [ast.Assign([name], value) for name, value in pairs]
                return [ast.fix_missing_locations(ast.copy_location(one, node)) for one in made]
    return [node]


def _chosen(values: ast.expr, words: str) -> str:
    if isinstance(values, ast.Name) and values.id in _SHARED:
        return _SHARED[values.id]
    if not isinstance(values, ast.List | ast.Tuple) or not values.elts:
        raise UsageError(f"its parameter {words} comes from elsewhere: {ast.unparse(values)}")
    texts = [ast.unparse(element) for element in values.elts]
    if "torch.float32" in texts:
        return "torch.float32"
    said = [text for text, node in zip(texts, values.elts, strict=True) if not _has_zero(node)]
    texts = said or texts
    return texts[len(texts) // 2] if any(c.isdigit() for c in texts[0]) else texts[0]


def _has_zero(node: ast.expr) -> bool:
    """A factor of zero would hide what it is multiplied with."""
    return any(isinstance(n, ast.Constant) and n.value in (0, 0.0) for n in ast.walk(node))


def _place(body: list[ast.stmt]) -> tuple[CallPlace, bool]:
    """The first call of the answer, and whether it is one of the benchmark's namespace."""
    sites = call_sites(body, lambda call: _in_namespace(call, _ANSWERS))
    if sites:
        return sites[0], True
    switched = [node for node in body if isinstance(node, ast.With) and _is_switch(node)]
    if not switched:
        raise UsageError(f"it neither calls {_ANSWERS}.OP nor switches operators by {_SWITCH}")
    inside = {id(call) for node in switched for call in ast.walk(node)}
    sites = call_sites(body, lambda call: id(call) in inside and root_name(call.func) == "torch")
    if not sites:
        raise UsageError(f"no function of torch is called under {_SWITCH}")
    return sites[0], False


def _in_namespace(call: ast.Call, namespace: str) -> bool:
    """`kernelgenbench.triton.OP(...)`."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(), attr=name)):
            return name == namespace
    return False


def _is_switch(node: ast.With) -> bool:
    return any(_SWITCH in ast.unparse(item.context_expr) for item in node.items)


def _baseline(function: str, root: Path) -> tuple[str, list[str]]:
    """The text of the baseline of an operator, and the parameters of its function."""
    above = [folder for folder in root.resolve().parents if folder.name in _PACKAGES]
    for folder in (root, *above):
        for path in sorted(folder.rglob(f"{_BASELINES}/**/{function}.py")):
            text = read_source(path)
            for node in module_tree(text).body:
                if isinstance(node, ast.FunctionDef) and node.name == function:
                    return text, [arg.arg for arg in node.args.args]
    raise UsageError(f"no file of the baseline defines {function}")
