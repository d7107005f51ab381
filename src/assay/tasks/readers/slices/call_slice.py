"""CallSlice: what one call needs of the statements before it, told apart by where it goes.

The rule: sizes and other plain values become names of the module, tensors are made in
`get_inputs`, and every argument is an input, a setting of the constructor, or part of the call.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from assay.tasks.readers.function_call import FunctionCall
from assay.tasks.readers.slices.straight_line import root_name, stored_names

_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.operator)
_SYNTAX = (ast.expr_context, ast.unaryop, ast.Call, ast.Attribute)
_OF_TENSORS = frozenset({"shape", "dtype", "device"})  # asked of an input where the call is made
_NUMBERS = frozenset({"int", "float", "max", "min", "round", "abs", "math"})


@dataclass(frozen=True)
class CallSlice:
    """Statements of the module, of `get_inputs`, and the call with the values of its names."""

    constants: tuple[ast.stmt, ...]
    statements: tuple[ast.stmt, ...]
    call: FunctionCall
    inputs: tuple[ast.expr, ...]
    settings: tuple[ast.expr, ...]
    loads: frozenset[str]  # names that it needs from elsewhere

    @property
    def draws(self) -> bool:
        """Whether some input comes from a random generator."""
        text = " ".join(ast.unparse(node) for node in (*self.statements, *self.inputs))
        return "rand" in text or "normal" in text


def slice_of(
    before: Iterable[ast.stmt], call: ast.Call, parameters: list[str], taken: frozenset[str]
) -> CallSlice:
    """The slice of one call; `taken` are names of the module that must not be bound again."""
    kept, needed = _kept(list(before), call)
    kept, call = _renamed(kept, call, taken | set(dir(builtins)))
    constants, rest = _lifted(kept)
    arguments = _Arguments({_name_of(s): s.value for s in constants}, parameters)
    expression = arguments.call(call)
    function = root_name(call.func)
    bound = set().union(*map(stored_names, kept))
    made = FunctionCall(function, expression, tuple(arguments.inputs), tuple(arguments.settings))
    return CallSlice(
        tuple(constants),
        tuple(rest),
        made,
        tuple(arguments.inputs.values()),
        tuple(arguments.settings.values()),
        frozenset(needed - bound - set(dir(builtins))),
    )


def _loads(node: ast.AST) -> set[str]:
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in found if isinstance(n.ctx, ast.Load)}


def _changed(node: ast.stmt) -> set[str]:
    """Names that a statement binds or whose value it changes in place."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                found.add(root_name(part))
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Call(func=ast.Attribute(attr=method, value=owner)) if method.endswith("_"):
                found.add(root_name(owner))
            case ast.Call(func=ast.Attribute(attr="append" | "extend", value=owner)):
                found.add(root_name(owner))
    return found


def _kept(before: list[ast.stmt], call: ast.Call) -> tuple[list[ast.stmt], set[str]]:
    """The statements that the call depends on, and every name they read."""
    own = [*call.args, *(word.value for word in call.keywords), call.func]
    needed = set().union(*map(_loads, own))
    everything = set(needed)
    kept: list[ast.stmt] = []
    for node in reversed(before):
        if not _changed(node) & needed:
            continue
        kept.insert(0, node)
        if isinstance(node, ast.Assign):
            needed -= {t.id for t in node.targets if isinstance(t, ast.Name)}
        needed |= _loads(node)
        everything |= _loads(node)
    return kept, everything


class _Renamer(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The new name, where it has one."""
        node.id = self._names.get(node.id, node.id)
        return node


def _renamed(
    kept: list[ast.stmt], call: ast.Call, taken: set[str] | frozenset[str]
) -> tuple[list[ast.stmt], ast.Call]:
    """Names of the test that mean something else in the module get an underscore."""
    bound = set().union(*map(stored_names, kept))
    renamer = _Renamer({name: f"{name}_" for name in bound & taken})
    made = [renamer.visit(node) for node in kept]
    call.args = [renamer.visit(given) for given in call.args]
    for word in call.keywords:
        word.value = renamer.visit(word.value)
    return made, call


def _name_of(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


def _lifted(kept: list[ast.stmt]) -> tuple[list[ast.Assign], list[ast.stmt]]:
    """Plain values that are bound once, apart from all other statements."""
    times = Counter(name for s in kept for name in stored_names(s))
    changed = Counter(name for s in kept for name in _changed(s))
    constants: list[ast.Assign] = []
    rest: list[ast.stmt] = []
    for node in kept:
        known = {_name_of(one) for one in constants}
        single = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if (
            isinstance(node, ast.Assign)
            and single
            and times[_name_of(node)] == changed[_name_of(node)] == 1
            and is_plain(node.value, known)
        ):
            constants.append(node)
        else:
            rest.append(node)
    return constants, rest


def is_plain(node: ast.expr, known: set[str]) -> bool:
    """Numbers, words, dtypes, and arithmetic on them and on known names."""
    if _is_torch_constant(node):
        return True
    for part in ast.walk(node):
        if not isinstance(part, _ARITHMETIC + _SYNTAX):
            return False
        if isinstance(part, ast.Name) and part.id not in known | _NUMBERS:
            return False
    return True


def _is_torch_constant(node: ast.expr) -> bool:
    is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return is_attribute and root_name(node) == "torch"


class _Arguments:
    """Writes the call in names, and remembers what each stands for."""

    def __init__(self, constants: dict[str, ast.expr], parameters: list[str]) -> None:
        self.inputs: dict[str, ast.expr] = {}
        self.settings: dict[str, ast.expr] = {}
        self._constants = constants
        self._parameters = parameters

    def call(self, node: ast.Call) -> str:
        """The text of the call."""
        given = [self._text(value, self._parameter(i)) for i, value in enumerate(node.args)]
        given += [
            f"{word.arg}={self._text(word.value, word.arg)}" if word.arg else "**{}"
            for word in node.keywords
        ]
        return f"{ast.unparse(node.func)}({', '.join(given)})"

    def _parameter(self, place: int) -> str:
        return self._parameters[place] if place < len(self._parameters) else f"argument_{place}"

    def _text(self, node: ast.expr, name: str) -> str:
        value = self._constants.get(node.id) if isinstance(node, ast.Name) else None
        if value is not None and _is_choice(value):
            return ast.unparse(value)
        if _is_choice(node):
            return ast.unparse(node)
        if is_plain(node, set(self._constants)):
            return f"self.{self._place(self.settings, node, name)}"
        if isinstance(node, ast.Tuple | ast.List):
            parts = [self._text(part, f"{name}_{i}") for i, part in enumerate(node.elts)]
            return f"[{', '.join(parts)}]"
        if isinstance(node, ast.Attribute) and node.attr in _OF_TENSORS:
            return f"{self._text(node.value, name)}.{node.attr}"
        if isinstance(node, ast.Starred):
            return f"*{self._text(node.value, name)}"
        return self._place(self.inputs, node, name)

    def _place(self, table: dict[str, ast.expr], node: ast.expr, name: str) -> str:
        """The name under which a value is given; the same value has one name."""
        text = ast.unparse(node)
        for known, value in table.items():
            if ast.unparse(value) == text:
                return known
        while name in self.inputs or name in self.settings or name == "self":
            name += "_"
        table[name] = node
        return name


def _is_choice(node: ast.expr) -> bool:
    """What is no number that could be another: words, truths, dtypes, zero, one and negatives."""
    if _is_torch_constant(node):
        return True
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return False
    if isinstance(value, bool | str | None | complex):
        return True
    return isinstance(value, int | float) and (value < 0 or value in (0, 1))
