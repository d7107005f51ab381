"""Assignment: what binding each kind of target changes.

The rule: a name of a module, an attribute and an item outlive the call, so forward's stores to them
are remembered for its next call; a store to data is seen through every name of its storage.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from assay.source_analysis.attributes import set_attribute
from assay.source_analysis.dataflow import keep, write
from assay.source_analysis.interpreter import Interpreter, StatementTable
from assay.source_analysis.operators import arithmetic
from assay.source_analysis.overrides import item_reach
from assay.source_analysis.protocols import special
from assay.source_analysis.values import (
    ANY_NAME,
    NOTHING,
    Box,
    Library,
    Scope,
    Value,
    join,
    ref,
)

_KNOWN_MODULES = frozenset(
    "torch time numpy json os sys builtins triton math random gc inspect threading".split()
)


def bind(run: Interpreter, target: ast.expr, value: Value, scope: Scope) -> None:
    """Bind any kind of target."""
    rule = _TARGETS.get(type(target))
    if rule is not None:
        rule(run, target, value, scope)


def _bind_name(run: Interpreter, target: ast.Name, value: Value, scope: Scope) -> None:
    home = scope.home(target.id)
    if run.flow.frames and home.parent is None:
        keep(run, home.names, target.id, value)
    else:
        home.names[target.id] = value


def _bind_parts(run: Interpreter, target: ast.Tuple | ast.List, value: Value, scope: Scope) -> None:
    for position, item in enumerate(target.elts):
        bind(run, item, _part(value, position), scope)


def _part(value: Value, position: int) -> Value:
    parts = [value.data]
    for item in value.refs:
        if isinstance(item, Box):
            parts.append(item.object.items.get(position) or item.object.rest or NOTHING)
        if isinstance(item, Library) and item.name.endswith("()"):
            parts.append(ref(item))
    return join(parts)


def _bind_starred(run: Interpreter, target: ast.Starred, value: Value, scope: Scope) -> None:
    bind(run, target.value, value, scope)


def _bind_attribute(run: Interpreter, target: ast.Attribute, value: Value, scope: Scope) -> None:
    base = run.evaluate(target.value, scope)
    set_attribute(run, base, target.attr, value, scope.place(target))


def _bind_item(run: Interpreter, target: ast.Subscript, value: Value, scope: Scope) -> None:
    base, key = run.evaluate(target.value, scope), run.evaluate(target.slice, scope)
    for item in base.refs:
        special(run, item, "__setitem__", key, value)
        if isinstance(item, Box):
            _store(run, item, key, value)
        if isinstance(item, Library):
            _patch_item(run, item.name, key.text(), scope.place(target))
    write(base, value)
    for buffer in base.buffers if value.scalar else ():
        buffer.addresses |= value.buffers


_TARGETS: dict[type[ast.expr], Callable[[Interpreter, Any, Value, Scope], None]] = {
    ast.Name: _bind_name, ast.Tuple: _bind_parts, ast.List: _bind_parts,
    ast.Starred: _bind_starred, ast.Attribute: _bind_attribute, ast.Subscript: _bind_item,
}  # fmt: skip


def _store(run: Interpreter, item: Box, key: Value, value: Value) -> None:
    held, constant = item.object, key.constant()
    if constant is not None and constant.value.__hash__ is not None:
        run.heap.journal.set_item(held.items, constant.value, value)
    else:
        run.heap.journal.set_rest(held, join([held.rest or NOTHING, value]))
    if run.in_forward:
        run.heap.kept.append((held.items, constant.value if constant is not None else "*"))


def _patch_item(run: Interpreter, name: str, key: str | None, where: str) -> None:
    """`sys.modules["torch"] = ...`, `torch.__dict__["mm"] = ...`."""
    reach = item_reach(name)
    if reach is not None:
        run.see(reach, name, where)
    is_known = key is not None and key.split(".")[0] in _KNOWN_MODULES
    if name.endswith(".__dict__"):
        owner = ref(Library(name.removesuffix(".__dict__")))
        set_attribute(run, owner, key or ANY_NAME, NOTHING, where)
    elif name == "os.environ" or (name == "sys.modules" and is_known):
        set_attribute(run, ref(Library(name)), key or "", NOTHING, where)


def _assign(run: Interpreter, node: ast.Assign, scope: Scope) -> None:
    value = run.evaluate(node.value, scope)
    for target in node.targets:
        bind(run, target, value, scope)


def _annotated(run: Interpreter, node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        bind(run, node.target, run.evaluate(node.value, scope), scope)


def _augmented(run: Interpreter, node: ast.AugAssign, scope: Scope) -> None:
    """`a += b`: in place on tensors."""
    sides = [run.evaluate(node.target, scope), run.evaluate(node.value, scope)]
    value = arithmetic(run, node, sides, scope)
    if sides[0].is_data:
        value = join([write(sides[0], value), value])
    bind(run, node.target, value, scope)


def _delete(run: Interpreter, node: ast.Delete, scope: Scope) -> None:
    """`del torch.x`."""
    for target in node.targets:
        if isinstance(target, ast.Attribute):
            _bind_attribute(run, target, NOTHING, scope)


STATEMENTS: StatementTable = {
    ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.Delete: _delete,
}  # fmt: skip
