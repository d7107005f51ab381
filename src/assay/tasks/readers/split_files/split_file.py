"""SplitFile: a task file of two parts, a reference above a line of 146 `#` and its test below.

The rule: the reference's text stays as it is. Of the test, or of the performance script that the
benchmark keeps for the task, one call becomes the task: the script's in the middle of its sweep,
else the test's largest random one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.python_tree import module_tree
from assay.tasks.readers.kernelbench import read_source
from assay.tasks.readers.slices.call_slice import CallSlice, slice_of
from assay.tasks.readers.slices.device_free import DeviceFree
from assay.tasks.readers.slices.drawn_law import drawn_law
from assay.tasks.readers.slices.dropout_off import without_dropout
from assay.tasks.readers.slices.function_source import (
    defined_names,
    function_source,
    parameters_of,
    usable_imports,
)
from assay.tasks.readers.slices.moved_inputs import made_there
from assay.tasks.readers.slices.optimizer_step import is_stepped, returns_optimizer, with_step
from assay.tasks.readers.slices.straight_line import CallPlace, call_sites, root_name
from assay.tasks.readers.slices.tuple_names import TupleNames

SEPARATOR = "#" * 146
_INPUTS, _MOVE, _CALL, _KEPT = "get_input_tensors", "to_cuda", "call_op", "input_tensors"
_NO_STEP = (
    "it returns an optimizer, which is no answer, and its test takes no step: keep the benchmark's "
    "performance script of the task beside it, whose step is the task then"
)


@dataclass(frozen=True)
class SplitFile:
    """The two parts, parsed."""

    reference: str
    tree: ast.Module
    test: ast.Module

    @property
    def functions(self) -> frozenset[str]:
        """What the reference defines and a test may call."""
        nodes = [n for n in self.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        assigned = [n for n in self.tree.body if isinstance(n, ast.Assign)]
        names = {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)}
        return frozenset({n.name for n in nodes} | names)


def is_split(text: str) -> bool:
    """Whether a text has the line."""
    return any(line.strip() == SEPARATOR for line in text.splitlines())


def read_split(path: Path) -> SplitFile:
    """The parts of one file."""
    lines = read_source(path).splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.strip() == SEPARATOR]
    if len(places) != 1:
        raise UsageError(f"{path} has {len(places)} lines of 146 '#' and not one")
    reference, test = "".join(lines[: places[0]]), "".join(lines[places[0] + 1 :])
    try:
        return SplitFile(reference, module_tree(reference), module_tree(test))
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{path} is not Python: {error}") from error


def source_of(path: Path, script: Path | None) -> tuple[str, CallSlice]:
    """The task's source, and the call that it asks for."""
    split = read_split(path)
    reasons: list[str] = []
    found = list(_script_slices(split, script, reasons)) if script else []
    if found:
        chosen = found[-1]
    else:
        tried = list(_test_slices(split, reasons))
        if not tried:
            why = reasons[-1] if reasons else "neither its test nor its script calls the reference"
            raise UsageError(f"{path}: {why}")
        chosen = max(tried, key=lambda one: (one.draws, _numbers(one)))
        if returns_optimizer(split.tree, chosen.call.function):
            raise UsageError(f"{path}: {_NO_STEP}")
    used = _missing(split, chosen)
    helpers = [node for node in split.test.body if getattr(node, "name", None) in used]
    source = function_source(split.reference, usable_imports(split.test), chosen, helpers)
    law = drawn_law(split.tree, chosen.call.function)
    if law is not None:
        source += f"\n\nCONTRACT = {law.model_dump(mode='json')!r}\n"
    return source, chosen


def _missing(split: SplitFile, found: CallSlice) -> frozenset[str]:
    return found.loads - defined_names(split.tree) - {"torch"}


def _numbers(found: CallSlice) -> int:
    """How large the integers of a slice are together."""
    nodes = [n for s in (*found.constants, *found.statements, *found.inputs) for n in ast.walk(s)]
    values = [n.value for n in nodes if isinstance(n, ast.Constant)]
    return sum(value for value in values if type(value) is int and 0 < value < 1 << 31)


def _test_slices(split: SplitFile, reasons: list[str]) -> Iterator[CallSlice]:
    """Of every call of the reference in the test."""
    top: list[ast.stmt] = [n for n in split.test.body if isinstance(n, ast.Assign)]
    top = [node for node in top if not _calls_test(node)]
    tests = [n for n in split.test.body if isinstance(n, ast.FunctionDef)]
    bodies: list[list[ast.stmt]] = [[*top, *test.body] for test in tests] or [split.test.body]
    for body in bodies:
        for site in call_sites(body, lambda call: root_name(call.func) in split.functions):
            yield from _sliced(split, site, DeviceFree(), reasons)


def _calls_test(node: ast.stmt) -> bool:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(root_name(call.func).startswith("test") for call in calls)


def _script_slices(split: SplitFile, script: Path, reasons: list[str]) -> Iterator[CallSlice]:
    """Of the calls in `call_op` of a performance script, on what it appends to its inputs."""
    try:
        tree = module_tree(read_source(script))
    except (SyntaxError, ValueError) as error:
        reasons.append(f"its performance script {script} is not Python: {error}")
        return
    methods = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    if _INPUTS not in methods or _CALL not in methods:
        return
    call_op = methods[_CALL]
    given = call_op.args.args[-1].arg
    device_free = DeviceFree(_attributes(methods.get("__init__")))
    for appended in call_sites(methods[_INPUTS].body, _appends)[:1]:
        made, value = made_there(methods.get(_MOVE), appended.call.args[0])
        bound = ast.Assign([ast.Name(given, ast.Store())], value)
        ast.fix_missing_locations(ast.copy_location(bound, appended.call))
        for site in call_sites(call_op.body, lambda c: root_name(c.func) in split.functions):
            place = CallPlace((*appended.before, *made, bound, *site.before), site.call)
            for found in _sliced(split, place, device_free, reasons):
                yield with_step(found) if is_stepped(call_op, site.call) else found


def _appends(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr="append", value=ast.Attribute(attr=kept)) if kept == _KEPT:
            return len(call.args) == 1
    return False


def _attributes(init: ast.FunctionDef | None) -> dict[str, ast.expr]:
    """What the constructor of a performance script leaves in `self`."""
    found: dict[str, ast.expr] = {"dtype": ast.Constant(None), "kwargs": ast.Dict([], [])}
    if init is None:
        return found
    names = [arg.arg for arg in init.args.args]
    defaults = dict(zip(reversed(names), reversed(init.args.defaults), strict=False))
    found["dtype"] = defaults.get("dtype", found["dtype"])
    for node in init.body:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value):
                bound = defaults.get(value.id) if isinstance(value, ast.Name) else value
                found[name] = bound if bound is not None else value
    return found


def _sliced(
    split: SplitFile, site: CallPlace, device_free: DeviceFree, reasons: list[str]
) -> Iterator[CallSlice]:
    """The slice of one call; nothing where it needs a name that nobody defines."""
    names = TupleNames()
    before = device_free.run(names.run(site.before))
    call = device_free.expression(names.expression(site.call))
    if not isinstance(call, ast.Call):
        reasons.append("the call is part of a conversion")
        return
    call = ast.copy_location(without_dropout(call, split.tree), call)
    ast.fix_missing_locations(call)
    taken = defined_names(split.tree) | {"torch", "Model", "get_inputs", "get_init_inputs"}
    found = slice_of(before, call, parameters_of(split.tree, root_name(call.func)), taken)
    known = defined_names(split.test) | {"math"}
    unknown = sorted(name for name in _missing(split, found) if name not in known)
    if unknown:
        reasons.append(f"a call of {found.call.function} needs {', '.join(unknown)}")
        return
    yield found
