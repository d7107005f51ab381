"""Static remarks: what a task's source shows to be wrong or unusual with it, and the mend.

The rule: the source is parsed, never run. What cannot be seen there `assay audit` finds by asking
null answers; a remark changes no verdict.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from assay.data.task import Task
from assay.tasks.shapes.source_sizes import INPUT_FUNCTIONS

_COMMON = frozenset({"torch", "numpy", "math"})
_DROPOUT = frozenset({"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"})
_DRAWS = frozenset("rand randn randint bernoulli multinomial normal binomial dropout".split())
_FACTORS = frozenset("svd qr eig eigh lu ldl_factor lu_factor".split())
_INTEGERS = frozenset("int8 int16 int32 int64 long int uint8 bool".split())


def static_remarks(task: Task) -> tuple[str, ...]:
    """One sentence for each thing that is seen."""
    try:
        tree = ast.parse(task.source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(dict.fromkeys(_remarks(tree, task)))


def _remarks(tree: ast.Module, task: Task) -> Iterator[str]:
    yield from _packages(tree, task)
    computed = [n for n in tree.body if getattr(n, "name", "") not in INPUT_FUNCTIONS]
    calls = [n for node in computed for n in ast.walk(node) if isinstance(n, ast.Call)]
    names = {_last(call.func) for call in calls}
    if any(_says(call, "training", False) for call in calls) and _is_random(calls):
        yield "dropout is switched off by training=False: with it the answer would be random"
    elif task.contract is None and _is_random(calls) and not _is_random(_without_layers(calls)):
        yield (
            "its answer is random in training mode (dropout): it is judged in eval mode; "
            "a CONTRACT of kind stochastic asks for the law of its draws"
        )
    elif task.contract is None and _is_random(calls):
        yield (
            "its answer is random (dropout or a draw inside the call): mend it with a CONTRACT "
            "of kind stochastic, or ask for it with the draw switched off"
        )
    if task.contract is None and (found := sorted(names & _FACTORS)):
        yield (
            f"it calls {', '.join(found)}, whose factors are unique only up to sign or order: "
            "where they are returned mend it with a CONTRACT of kind decomposition"
        )
    if any(_says(call, "pivot", False) for call in calls):
        yield "LU without pivoting does not run on a CPU: judge it on a GPU"
    if _draws_integers(tree):
        yield "it has integer or boolean inputs, which some evaluators cast to float; they are kept"


def _packages(tree: ast.Module, task: Task) -> Iterator[str]:
    """Imports that not every machine has."""
    roots = {name.split(".")[0] for node in ast.walk(tree) for name in _imported(node)}
    beside = Path(task.origin).parent if task.origin.endswith(".py") else None
    for root in sorted(roots - _COMMON - sys.stdlib_module_names):
        if root == "triton":
            yield "its reference is a Triton kernel: it needs a GPU"
        elif beside is not None and (beside / f"{root}.py").exists():
            continue
        elif find_spec(root) is None:
            yield f"it needs {root}, which is not installed: pip install {root}"
        else:
            yield f"it needs {root}"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module]
    return []


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _says(call: ast.Call, word: str, value: object) -> bool:
    given = [k.value for k in call.keywords if k.arg == word]
    return any(isinstance(v, ast.Constant) and v.value is value for v in given)


def _is_random(calls: list[ast.Call]) -> bool:
    """Dropout that is not switched off where it stands, or torch's own draws."""
    for call in calls:
        name = _last(call.func)
        owner = _last(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        drawn = name in _DRAWS and owner in ("torch", "F", "functional")
        if (drawn or name in _DROPOUT) and not _says(call, "training", False) and not _is_off(call):
            return True
    return False


def _without_layers(calls: list[ast.Call]) -> list[ast.Call]:
    """All but layers of dropout, which eval() switches off."""
    return [call for call in calls if _last(call.func) not in _DROPOUT]


def _is_off(call: ast.Call) -> bool:
    """Whether the rate that is given is zero."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "p")]
    values = [node.value for node in given if isinstance(node, ast.Constant)]
    return bool(values) and all(value == 0 for value in values)


def _draws_integers(tree: ast.Module) -> bool:
    """Whether `get_inputs` makes integers or truths."""
    inputs = [n for n in tree.body if getattr(n, "name", "") == "get_inputs"]
    for part in (n for node in inputs for n in ast.walk(node)):
        if isinstance(part, ast.Call) and _last(part.func) in ("randint", "randperm", "arange"):
            return True
        if isinstance(part, ast.Attribute) and part.attr in _INTEGERS:
            return True
    return False
