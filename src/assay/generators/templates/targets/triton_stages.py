"""TritonStages: the texts of element and row stages in Triton.

The rule: every place is masked at the end of its block; a fold starts from its identity where a
block is not full. Parameters change speed, never the result beyond rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.generators.templates.graph.expression import FLOATS
from assay.generators.templates.graph.reduction_lowering import identity_of
from assay.generators.templates.graph.symbolic_size import product, python_text
from assay.generators.templates.stage import ElementStage, Fold, Loop, RowStage, Store
from assay.generators.templates.targets.triton_writer import TritonWriter, triton_type

COMBINES = """
@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def times(a, b):
    return a * b
"""
LONGEST_BLOCK = 16384  # elements of a row that one program holds at once


def element_text(
    name: str, stage: ElementStage, memory: Mapping[str, str], arguments: Sequence[str]
) -> str:
    """A kernel in which each program has a block of elements."""
    names, lines = decoded("place", stage.loops)
    variables = frozenset(one.variable for one in stage.loops)
    writer = TritonWriter(names, memory, [(variables, "inside")])
    stored = [stored_text(writer, one, "inside", "place * 0") for one in stage.stores]
    body = [
        "place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        "zero = place * 0",
        f"inside = place < {_count(stage.loops)}",
        *lines,
        *writer.lines,
        *stored,
    ]
    return function_text(name, [*arguments, "BLOCK: tl.constexpr"], body)


def row_text(
    name: str, stage: RowStage, memory: Mapping[str, str], arguments: Sequence[str], looped: bool
) -> str:
    """A kernel in which each program has some rows: at once, or block after block of columns."""
    body = [
        "row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]",
        f"row_inside = row < {_count(stage.rows)}",
    ]
    row_names, lines = decoded("row", stage.rows)
    body += lines
    body += _looped(stage, row_names, memory) if looped else _at_once(stage, row_names, memory)
    constants = ["ROWS: tl.constexpr", "COLUMNS: tl.constexpr"]
    return function_text(name, [*arguments, *constants], body)


def _masks(stage: RowStage) -> list[tuple[frozenset[Any], str]]:
    return [
        (frozenset(one.variable for one in stage.rows), "row_inside"),
        (frozenset(one.variable for one in stage.columns), "column_inside"),
    ]


def _columns(stage: RowStage, start: str) -> tuple[dict[Any, str], list[str]]:
    names, lines = decoded("column", stage.columns)
    first = [
        f"column = {start}tl.arange(0, COLUMNS)[None, :]",
        f"column_inside = column < {_count(stage.columns)}",
        "zero = row * 0 + column * 0",
    ]
    return names, [*first, *lines]


def _at_once(stage: RowStage, rows: Mapping[Any, str], memory: Mapping[str, str]) -> list[str]:
    names, body = _columns(stage, "")
    writer = TritonWriter({**rows, **names}, memory, _masks(stage))
    for fold in stage.folds:
        value = _of_fold(writer.written(fold.body), fold)
        nothing = writer.number(identity_of(fold.fold, fold.dtype), fold.dtype)
        writer.lines.append(f"{fold.name}_in = tl.where(column_inside, {value}, {nothing})")
        writer.lines.append(f"{fold.name} = {_folded(fold)}")
        writer.names[fold.name] = fold.name
    for one in stage.row_stores:
        writer.lines.append(stored_text(writer, one, "row_inside", "row * 0"))
    for one in stage.stores:
        writer.lines.append(stored_text(writer, one, "row_inside & column_inside", "zero"))
    return [*body, *writer.lines]


def _looped(stage: RowStage, rows: Mapping[Any, str], memory: Mapping[str, str]) -> list[str]:
    body: list[str] = []
    done: dict[Any, str] = {}
    names, head = _columns(stage, "start + ")
    count = 0
    for level in sorted({fold.level for fold in stage.folds}):
        folds = [fold for fold in stage.folds if fold.level == level]
        for fold in folds:
            nothing = TritonWriter.number(None, identity_of(fold.fold, fold.dtype), fold.dtype)  # type: ignore[arg-type]
            kind = triton_type(fold.dtype)
            body.append(f"{fold.name}_in = tl.full([ROWS, COLUMNS], {nothing}, {kind})")
        writer = TritonWriter({**rows, **names, **done}, memory, _masks(stage), count)
        for fold in folds:
            value = _of_fold(writer.written(fold.body), fold)
            step = _step(fold, f"{fold.name}_in", value)
            writer.lines.append(f"{fold.name}_in = tl.where(column_inside, {step}, {fold.name}_in)")
        count = writer.count
        body += [_loop_head(stage), *indented([*head, *writer.lines])]
        for fold in folds:
            body.append(f"{fold.name} = {_folded(fold)}")
            done[fold.name] = fold.name
    row_writer = TritonWriter({**rows, **done}, memory, _masks(stage), count)
    for one in stage.row_stores:
        row_writer.lines.append(stored_text(row_writer, one, "row_inside", "row * 0"))
    body += row_writer.lines
    if stage.stores:
        writer = TritonWriter({**rows, **names, **done}, memory, _masks(stage), row_writer.count)
        for one in stage.stores:
            writer.lines.append(stored_text(writer, one, "row_inside & column_inside", "zero"))
        body += [_loop_head(stage), *indented([*head, *writer.lines])]
    return body


def _of_fold(value: str, fold: Fold) -> str:
    """Indices are 32 bits wide where they are computed."""
    return value if fold.dtype in FLOATS else f"tl.cast({value}, {triton_type(fold.dtype)})"


def _loop_head(stage: RowStage) -> str:
    return f"for start in range(0, {_count(stage.columns)}, COLUMNS):"


def _step(fold: Fold, total: str, value: str) -> str:
    if fold.fold in ("sum", "prod"):
        return f"{total} {'+' if fold.fold == 'sum' else '*'} {value}"
    name = "tl.maximum" if fold.fold == "max" else "tl.minimum"
    nan = ", propagate_nan=tl.PropagateNan.ALL" if fold.dtype in FLOATS else ""
    return f"{name}({total}, {value}{nan})"


def _folded(fold: Fold) -> str:
    """The fold of a block along its columns."""
    given = f"{fold.name}_in"
    if fold.fold == "sum":
        return f"tl.sum({given}, axis=1)[:, None]"
    if fold.fold == "prod":
        return f"tl.reduce({given}, 1, times)[:, None]"
    if fold.dtype in FLOATS:
        combine = "larger" if fold.fold == "max" else "smaller"
        return f"tl.reduce({given}, 1, {combine})[:, None]"
    return f"tl.{fold.fold}({given}, axis=1)[:, None]"


def stored_text(writer: TritonWriter, one: Store, mask: str, spread: str) -> str:
    """A statement that writes a block."""
    value = writer.written(one.value)
    place = writer.place(one.offset, {})
    kind = writer.memory[one.buffer]
    if not (value[0] in "tf" and value[1:].isdigit()):  # a number: a block of it
        value = (
            f"({spread} + {value})"
            if kind != "bool"
            else f"(({spread} + {int(value == 'True')}) != 0)"
        )
    return f"tl.store({one.buffer} + ({place} + {spread}), {value}, mask={mask})"


def decoded(flat: str, loops: Sequence[Loop]) -> tuple[dict[Any, str], list[str]]:
    """The variables of several loops out of one number."""
    names = {one.variable: str(one.variable) for one in loops}
    if len(loops) == 1:
        return {loops[0].variable: flat}, []
    lines, rest = [], flat
    for place in reversed(range(len(loops))):
        size, name = python_text(loops[place].size), names[loops[place].variable]
        if place == 0:
            lines.append(f"{name} = {rest}")
        else:
            lines.append(f"{name} = {rest} % ({size})")
            lines.append(f"{flat}_{place} = {rest} // ({size})")
            rest = f"{flat}_{place}"
    return names, lines


def _count(loops: Sequence[Loop]) -> str:
    return python_text(product([one.size for one in loops]))


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one step to the right."""
    return [f"    {line}" for line in lines]


def function_text(name: str, arguments: Sequence[str], body: Sequence[str]) -> str:
    """A kernel of these arguments."""
    head = f"@triton.jit\ndef {name}({', '.join(arguments)}):"
    return "\n".join([head, *indented(body)])
