"""DynamoSource: where Dynamo found a value, as an expression inside the candidate's forward.

The rule: only plain names, attributes, items and sizes are such expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_MODULE_PART = re.compile(r"\._(?:parameters|buffers|modules)\['(\w+)'\]")
_PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\[\d+\]|\.size\(\)\[\d+\])*")
_MODE = ".training"  # a reference is traced for inference


def source_expression(name: str) -> str:
    """`L['self']._modules['fc']._parameters['weight']` as `self.fc.weight`."""
    found = _unwrapped(name)
    if not _PLAIN.fullmatch(found):
        raise ValueError(f"an argument of the compiled graph comes from {name}")
    return found


def _unwrapped(name: str) -> str:
    attribute = _MODULE_PART.sub(lambda m: f"[{m[1]}]" if m[1].isdigit() else f".{m[1]}", name)
    return re.sub(r"L\['(\w+)'\]", r"\1", attribute)


def constant_conditions(names: Iterable[str], values: Mapping[str, Any]) -> list[str]:
    """What a forward must find at the names whose values became constants of a graph.

    An epsilon that a constructor takes is such a constant: with another one the graph is wrong.
    One that no expression reaches is a ValueError.
    """
    found = []
    for name in sorted(names):
        if not name.startswith("L[") or name.endswith(_MODE):
            continue
        expression = _unwrapped(name)
        try:
            value = eval(expression, {"__builtins__": {}}, dict(values))  # Dynamo's own words
        except Exception as error:
            raise ValueError(f"a constant of the graph comes from {name}") from error
        if _is_plain(value):
            found.append(f"{expression} == {_literal(value)}")
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, bool | int | float | str) and value == value


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({''.join(f'{_literal(one)}, ' for one in value)})"
    endless = isinstance(value, float) and value in (float("inf"), float("-inf"))
    return f'float("{value}")' if endless else repr(value)
