"""RandomCalls: what of a task's source makes the answer of a call random.

    found = RandomCalls(tree)   # found.layers, found.draws, found.absent_inputs

The rule: only what a call runs counts, by the names that `forward` leads to. A draw while the
module is built or its inputs are made, or in a test beside it, is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TypeGuard

from assay.tasks.shapes.source_sizes import INPUT_FUNCTIONS

_LAYERS = frozenset({"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"})
_DROPOUT = "dropout"
_DRAWS = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal "
    "poisson binomial fractional_max_pool2d fractional_max_pool3d gumbel_softmax "
    f"{_DROPOUT}".split()
)
_OWNERS = frozenset({"torch", "F", "functional", "random"})
_METHODS = frozenset(
    "normal_ uniform_ bernoulli_ exponential_ random_ cauchy_ log_normal_ sample rsample".split()
)
_BUILT, _CALLED = "__init__", "forward"
_ROOTS = (_CALLED, "__call__")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class RandomCalls:
    """Of one module."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @cached_property
    def layers(self) -> list[ast.Call]:
        """Layers of dropout that eval() switches off."""
        found = [call for call in _calls(self._tree) if last_name(call.func) in _LAYERS]
        return [call for call in found if not _is_off(call)]

    @cached_property
    def draws(self) -> list[ast.Call]:
        """Draws that every call makes, dropout without `training=False` among them."""
        given = {name for name in self._optional if name not in self._absent}
        return [call for call, target in self._all_draws if target not in given]

    @property
    def dropout_is_off(self) -> bool:
        """Whether dropout is all that would be random, and a call of it says `training=False`.

        Or gives zero for what the dropout has as its rate.
        """
        found = (*self.layers, *self.draws)
        if not found or not {last_name(call.func) for call in found} <= _LAYERS | {_DROPOUT}:
            return False
        calls = [call for part in self.at_call_time for call in _calls(part)]
        rates = {
            last_name(word.value) for call in found for word in call.keywords if word.arg == "p"
        }
        return any(says(call, "training", False) for call in calls) or any(
            says(call, rate, 0.0) for call in calls for rate in rates
        )

    @cached_property
    def absent_inputs(self) -> tuple[str, ...]:
        """Optional arguments of `forward` that are drawn because `get_inputs` leaves them out."""
        drawn = [target for _, target in self._all_draws if target in self._absent]
        return tuple(dict.fromkeys(drawn))

    @cached_property
    def _all_draws(self) -> list[tuple[ast.Call, str]]:
        """Each with the name that is assigned from it, where it is one."""
        found: list[tuple[ast.Call, str]] = []
        for function in self.at_call_time:
            targets = dict(_targets(function))
            calls = [call for call in _calls(function) if _is_draw(call)]
            found += [(call, targets.get(call, "")) for call in calls]
        return list({id(call): (call, target) for call, target in found}.values())

    @cached_property
    def at_call_time(self) -> list[ast.stmt]:
        """What of the module a call runs: every `forward`, and whatever is named from there on."""
        named = _definitions(self._tree)
        found: dict[str, list[ast.stmt]] = {}
        wanted = [name for name in _ROOTS if name in named]
        while wanted:
            name = wanted.pop()
            found[name] = named[name]
            used = {last_name(n) for part in named[name] for n in ast.walk(part) if _is_use(n)}
            wanted += [one for one in used if one in named and one not in found]
        return [part for parts in found.values() for part in parts]

    @cached_property
    def _optional(self) -> dict[str, int]:
        """Parameters of `forward` that have a default, with their places among the inputs."""
        found: dict[str, int] = {}
        for function in self.at_call_time:
            if isinstance(function, Function) and function.name == _CALLED:
                names = [arg.arg for arg in function.args.args][1:]  # without self
                first = len(names) - len(function.args.defaults)
                found |= {name: place for place, name in enumerate(names) if place >= first}
        return found

    @cached_property
    def _absent(self) -> set[str]:
        """Those for which `get_inputs` makes nothing; none where that is not plain to see."""
        returned = [
            node.value
            for function in self._tree.body
            if isinstance(function, Function) and function.name == "get_inputs"
            for node in ast.walk(function)
            if isinstance(node, ast.Return)
        ]
        if not returned or not isinstance(returned[-1], ast.List | ast.Tuple):
            return set()
        made = len(returned[-1].elts)
        return {name for name, place in self._optional.items() if place >= made}


def last_name(node: ast.expr) -> str:
    """`randn` of `torch.randn`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def says(call: ast.Call, word: str, value: object) -> bool:
    """Whether a call gives this constant for a named parameter."""
    given = [k.value for k in call.keywords if k.arg == word]
    return any(isinstance(v, ast.Constant) and v.value == value for v in given)


def _calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Functions, names of the module, and what building a class runs, by name."""
    found: dict[str, list[ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name != _BUILT:
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ClassDef):
            built = [one for one in node.body if isinstance(one, Function) and one.name == _BUILT]
            found.setdefault(node.name, []).extend(built)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found.setdefault(statement.targets[0].id, []).append(statement)
    return {name: parts for name, parts in found.items() if name not in INPUT_FUNCTIONS}


def _is_use(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)


def _is_draw(call: ast.Call) -> bool:
    name = last_name(call.func)
    owner = last_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    drawn = (name in _DRAWS and owner in _OWNERS) or name in _METHODS
    return drawn and not says(call, "training", False) and not _is_off(call)


def _is_off(call: ast.Call) -> bool:
    """Whether the rate that is given is zero."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "p")]
    values = [node.value for node in given if isinstance(node, ast.Constant)]
    return bool(values) and all(value == 0 for value in values)


def _targets(function: ast.stmt) -> Iterator[tuple[ast.Call, str]]:
    """Calls inside an assignment to one name, with that name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from ((call, node.targets[0].id) for call in _calls(node.value))
