"""CppStages: the texts of element and row stages in C++ with OpenMP.

The rule: threads share rows, vectors share columns. A sum is kept in lanes of a vector over a
block of columns, and in double over the blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.generators.templates.graph.expression import FLOATS
from assay.generators.templates.graph.reduction_lowering import identity_of
from assay.generators.templates.graph.symbolic_size import cpp_text, product
from assay.generators.templates.stage import ElementStage, Fold, Loop, RowStage, Store
from assay.generators.templates.targets.cpp_writer import TYPES, CppWriter, number_text


def element_text(
    name: str, stage: ElementStage, memory: Mapping[str, str], point: Mapping[str, str]
) -> list[str]:
    """The body of a function over every element."""
    names = {one.variable: str(one.variable) for one in stage.loops}
    writer = CppWriter(names, memory)
    stored = [stored_text(writer, one) for one in stage.stores]
    inner = [*writer.lines, *stored]
    if len(stage.loops) <= 1:
        count = cpp_text(stage.loops[0].size) if stage.loops else "1"
        variable = names[stage.loops[0].variable] if stage.loops else "once"
        return [
            f"#pragma omp parallel for simd schedule(static) num_threads({point['threads']})"
            f" if({count} > {point['serial_below']})",
            f"for (int64_t {variable} = 0; {variable} < {count}; ++{variable}) {{",
            *_indented(inner),
            "}",
        ]
    outer, last = stage.loops[:-1], stage.loops[-1]
    body = [*_decoded("row", outer), *_simd_loop(last, inner)]
    return _parallel_rows(outer, last.size, body, point)


def row_text(
    name: str, stage: RowStage, memory: Mapping[str, str], point: Mapping[str, str]
) -> list[str]:
    """The body of a function that folds and stores row by row."""
    names = {one.variable: str(one.variable) for one in (*stage.rows, *stage.columns)}
    done: dict[Any, str] = {}
    body = _decoded("row", stage.rows)
    for level in sorted({fold.level for fold in stage.folds}):
        folds = [fold for fold in stage.folds if fold.level == level]
        body += _pass(stage, folds, {**names, **done}, memory, int(point["block"]))
        done |= {fold.name: fold.name for fold in folds}
    row_writer = CppWriter({**names, **done}, memory, 1000)
    stored = [stored_text(row_writer, one) for one in stage.row_stores]
    body += [*row_writer.lines, *stored]
    if stage.stores:
        writer = CppWriter({**names, **done}, memory)
        stored = [stored_text(writer, one) for one in stage.stores]
        body += _nested(stage.columns, [*writer.lines, *stored])
    return _parallel_rows(stage.rows, product([c.size for c in stage.columns]), body, point)


def _parallel_rows(
    rows: Sequence[Loop], width: Any, body: Sequence[str], point: Mapping[str, str]
) -> list[str]:
    count = cpp_text(product([one.size for one in rows]))
    return [
        f"#pragma omp parallel for schedule(static) num_threads({point['threads']})"
        f" if(({count}) * ({cpp_text(width)}) > {point['serial_below']})",
        f"for (int64_t row = 0; row < {count}; ++row) {{",
        *_indented(body),
        "}",
    ]


def _pass(
    stage: RowStage, folds: Sequence[Fold], names: Mapping[Any, str], memory: Mapping[str, str],
    block: int,
) -> list[str]:  # fmt: skip
    """One walk along the columns, for all folds of a level."""
    lines = []
    for fold in folds:
        kind = "double" if _in_lanes(fold) else TYPES[fold.dtype]
        nothing = number_text(identity_of(fold.fold, fold.dtype), fold.dtype)
        lines.append(f"{kind} {fold.name}_all = {nothing};")
    last = stage.columns[-1] if stage.columns else None
    writer = CppWriter(names, memory)
    inner = [(fold, writer.written(fold.body)) for fold in folds]
    steps = [_step(fold, value) for fold, value in inner]
    begin = [
        f"{TYPES[fold.dtype]} {fold.name}_in = "
        f"{number_text(identity_of(fold.fold, fold.dtype), fold.dtype)};"
        + (f" int {fold.name}_nan = 0;" if _looks_for_nan(fold) else "")
        for fold in folds
    ]
    end = [_joined(fold) for fold in folds]
    if last is None:
        lines += ["{", *_indented([*begin, *writer.lines, *steps, *end]), "}"]
    else:
        name, size = names[last.variable], cpp_text(last.size)
        walk = [
            f"for (int64_t start = 0; start < {size}; start += {block}) {{",
            f"  const int64_t stop = start + {block} < {size} ? start + {block} : {size};",
            *_indented(begin),
            f"  {_simd(folds)}",
            f"  for (int64_t {name} = start; {name} < stop; ++{name}) {{",
            *_indented(_indented([*writer.lines, *steps])),
            "  }",
            *_indented(end),
            "}",
        ]
        lines += _wrapped(stage.columns[:-1], names, walk)
    for fold in folds:
        kind = TYPES[fold.dtype]
        lines.append(f"const {kind} {fold.name} = ({kind}){fold.name}_all;")
    return lines


def _in_lanes(fold: Fold) -> bool:
    return fold.fold == "sum" and fold.dtype in FLOATS


def _looks_for_nan(fold: Fold) -> bool:
    return fold.fold in ("max", "min") and fold.dtype in FLOATS


def _simd(folds: Sequence[Fold]) -> str:
    operators = {"sum": "+", "prod": "*", "max": "max", "min": "min"}
    clauses = [f"reduction({operators[one.fold]}:{one.name}_in)" for one in folds]
    clauses += [f"reduction(|:{one.name}_nan)" for one in folds if _looks_for_nan(one)]
    return f"#pragma omp simd {' '.join(clauses)}"


def _step(fold: Fold, value: str) -> str:
    total = f"{fold.name}_in"
    if fold.fold in ("sum", "prod"):
        return f"{total} {'+' if fold.fold == 'sum' else '*'}= {value};"
    sign = ">" if fold.fold == "max" else "<"
    found = f"{total} = {value} {sign} {total} ? {value} : {total};"
    if _looks_for_nan(fold):
        found += f" {fold.name}_nan |= {value} != {value};"
    return found


def _joined(fold: Fold) -> str:
    """A block's fold joined to those before it."""
    total, block = f"{fold.name}_all", f"{fold.name}_in"
    if fold.fold in ("sum", "prod"):
        return f"{total} {'+' if fold.fold == 'sum' else '*'}= {block};"
    name = "larger" if fold.fold == "max" else "smaller"
    if _looks_for_nan(fold):
        nan = number_text(float("nan"), fold.dtype)
        block = f"({fold.name}_nan ? {nan} : {block})"
    return f"{total} = {name}({total}, {block});"


def stored_text(writer: CppWriter, one: Store) -> str:
    """A statement that writes an element."""
    value = writer.written(one.value)
    kind = writer.memory[one.buffer]
    if kind not in ("bfloat16",):
        value = f"({TYPES[kind]})({value})"
    return f"{one.buffer}[{writer.place(one.offset, {})}] = {value};"


def _nested(loops: Sequence[Loop], inner: Sequence[str]) -> list[str]:
    if not loops:
        return ["{", *_indented(inner), "}"]
    names = {one.variable: str(one.variable) for one in loops}
    return _wrapped(loops[:-1], names, _simd_loop(loops[-1], inner))


def _wrapped(loops: Sequence[Loop], names: Mapping[Any, str], lines: list[str]) -> list[str]:
    for one in reversed(loops):
        name = names[one.variable]
        head = f"for (int64_t {name} = 0; {name} < {cpp_text(one.size)}; ++{name}) {{"
        lines = [head, *_indented(lines), "}"]
    return lines


def _simd_loop(loop: Loop, inner: Sequence[str]) -> list[str]:
    name = str(loop.variable)
    return [
        "#pragma omp simd",
        f"for (int64_t {name} = 0; {name} < {cpp_text(loop.size)}; ++{name}) {{",
        *_indented(inner),
        "}",
    ]


def _decoded(flat: str, loops: Sequence[Loop]) -> list[str]:
    lines, rest = [], flat
    for place in reversed(range(len(loops))):
        name, size = str(loops[place].variable), cpp_text(loops[place].size)
        if place == 0:
            lines.append(f"const int64_t {name} = {rest};")
        else:
            lines.append(f"const int64_t {name} = {rest} % ({size});")
            lines.append(f"const int64_t {flat}_{place} = {rest} / ({size});")
            rest = f"{flat}_{place}"
    return lines


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
