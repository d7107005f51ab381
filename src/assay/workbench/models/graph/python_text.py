"""Python text of a traced graph's nodes: each node as one expression.

The rule: what cannot be written as plain Python (an object that has no literal) is a ValueError
that names it; nothing is left to a `repr` that Python would not read back.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

Name = Callable[[Node], str]
_INFIX = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.iadd: "+",  # where nothing else reads what it would have changed
    operator.isub: "-",
    operator.imul: "*",
    operator.itruediv: "/",
}
IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv)


def expression(node: Node, name: Name) -> str:
    """The node as Python, with its arguments under the names that `name` gives."""
    if node.op == "get_attr":
        return attribute(str(node.target))
    if node.op == "call_method":
        first, *rest = node.args
        return f"{_operand(first, name)}.{node.target}({_call(rest, node.kwargs, name)})"
    if node.op == "call_module":
        return f"{attribute(str(node.target))}({_call(node.args, node.kwargs, name)})"
    if node.op != "call_function":
        raise ValueError(f"a node of kind {node.op} has no expression")
    return _function(node, name)


def _function(node: Node, name: Name) -> str:
    target: Any = node.target
    if target in IN_PLACE and not is_last_use(node):
        return f"operator.{target.__name__}({_call(node.args, node.kwargs, name)})"
    if target in _INFIX and len(node.args) == 2:
        left, right = (_operand(one, name) for one in node.args)
        return f"{left} {_INFIX[target]} {right}"
    if target is operator.neg:
        return f"-{_operand(node.args[0], name)}"
    if target is operator.getitem:
        return f"{_operand(node.args[0], name)}[{_index(node.args[1], name)}]"
    if target is getattr and isinstance(node.args[1], str) and len(node.args) == 2:
        return f"{_operand(node.args[0], name)}.{node.args[1]}"
    return f"{function_name(target)}({_call(node.args, node.kwargs, name)})"


def is_last_use(node: Node) -> bool:
    """Whether nothing else reads the first argument, so that changing it or not is the same."""
    first = node.args[0] if node.args else None
    return isinstance(first, Node) and first.op.startswith("call") and len(first.users) == 1


def function_name(target: Callable[..., Any]) -> str:
    """A function of torch under its public name."""
    short = getattr(target, "__name__", "")
    for place, module in (("torch.nn.functional", torch.nn.functional), ("torch", torch)):
        if short and getattr(module, short, None) is target:
            return f"{place}.{short}"
    module_name = getattr(target, "__module__", "") or ""
    if module_name.startswith("torch._ops"):
        return f"torch.ops.{str(target).replace('::', '.')}"
    if target.__class__.__module__ == "torch._ops":
        return f"torch.ops.{target}"
    if module_name in ("builtins", "math"):
        return short if module_name == "builtins" else f"math.{short}"
    raise ValueError(f"{module_name}.{short or target!r} has no public name in torch")


def attribute(path: str) -> str:
    """`blocks.0.weight` as `self.blocks[0].weight`."""
    return "self" + "".join(f"[{one}]" if one.isdigit() else f".{one}" for one in path.split("."))


def _call(args: Any, kwargs: Any, name: Name) -> str:
    shown = [text(one, name) for one in args]
    shown += [f"{key}={text(value, name)}" for key, value in kwargs.items()]
    return ", ".join(shown)


def _operand(value: Any, name: Name) -> str:
    """An operand of an infix operator: negative numbers in brackets."""
    shown = text(value, name)
    return f"({shown})" if shown.startswith("-") else shown


def _index(value: Any, name: Name) -> str:
    if isinstance(value, tuple) and value:
        return ", ".join(_index(one, name) for one in value)
    if isinstance(value, slice):
        parts = ["" if one is None else text(one, name) for one in (value.start, value.stop)]
        step = "" if value.step is None else f":{text(value.step, name)}"
        return ":".join(parts) + step
    return "..." if value is Ellipsis else text(value, name)


def text(value: Any, name: Name) -> str:
    """One argument."""
    if isinstance(value, Node):
        return name(value)
    if isinstance(value, bool | str | int) or value is None:
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
        return str(value)
    if isinstance(value, torch.device):
        return repr(str(value))
    if isinstance(value, tuple | torch.Size):
        inner = ", ".join(text(one, name) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(text(one, name) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {text(v, name)}" for k, v in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({', '.join(text(p, name) for p in (value.start, value.stop, value.step))})"
    raise ValueError(f"a value of type {type(value).__name__} cannot be written as Python")
