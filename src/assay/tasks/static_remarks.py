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
from assay.python_tree import module_tree
from assay.tasks.random_calls import RandomCalls, last_name, says

_COMMON = frozenset({"torch", "numpy", "math"})
_FACTORS = frozenset("svd qr eig eigh lu ldl_factor lu_factor".split())
_INTEGERS = frozenset("int8 int16 int32 int64 long int uint8 bool".split())


def static_remarks(task: Task) -> tuple[str, ...]:
    """One sentence for each thing that is seen."""
    try:
        tree = module_tree(task.source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(dict.fromkeys(_remarks(tree, task)))


def _remarks(tree: ast.Module, task: Task) -> Iterator[str]:
    yield from _packages(tree, task)
    random = RandomCalls(tree)
    run = [n for part in random.at_call_time for n in ast.walk(part)]
    calls = [n for n in run if isinstance(n, ast.Call)]
    names = {last_name(call.func) for call in calls}
    if random.dropout_is_off:
        yield "dropout is switched off (training=False or p=0): with it the answer would be random"
    elif task.contract is None:
        yield from _random(random)
    if task.contract is None and (found := sorted(names & _FACTORS)):
        yield (
            f"it calls {', '.join(found)}, whose factors are unique only up to sign or order: "
            "where they are returned mend it with a CONTRACT of kind decomposition"
        )
    if any(says(call, "pivot", False) for call in calls):
        yield "LU without pivoting does not run on a CPU: judge it on a GPU"
    if _draws_integers(tree):
        yield "it has integer or boolean inputs, which some evaluators cast to float; they are kept"


def _random(found: RandomCalls) -> Iterator[str]:
    """How its answer is random, if it is."""
    if found.absent_inputs:
        names = " and ".join(found.absent_inputs)
        yield (
            f"its answer is random: forward draws {names} in every call, because get_inputs leaves "
            "them out: mend it by returning them from get_inputs"
        )
    elif found.draws:
        yield (
            "its answer is random (dropout or a draw inside the call): mend it with a CONTRACT "
            "of kind stochastic, or ask for it with the draw switched off"
        )
    elif found.layers:
        yield (
            "its answer is random in training mode (dropout): it is judged in eval mode; "
            "a CONTRACT of kind stochastic asks for the law of its draws"
        )


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


def _draws_integers(tree: ast.Module) -> bool:
    """Whether `get_inputs` makes integers or truths."""
    inputs = [n for n in tree.body if getattr(n, "name", "") == "get_inputs"]
    for part in (n for node in inputs for n in ast.walk(node)):
        if isinstance(part, ast.Call) and last_name(part.func) in ("randint", "randperm", "arange"):
            return True
        if isinstance(part, ast.Attribute) and part.attr in _INTEGERS:
            return True
    return False
