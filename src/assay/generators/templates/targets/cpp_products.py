"""CppProducts: the text of a product stage in C++ with OpenMP.

Blocks of k are packed as panels of both factors; a tile of results stays in registers while one
block is walked, and threads share the tiles.

The rule: a tile at an edge computes with zeros and stores only what exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.generators.templates.graph.symbolic_size import cpp_text
from assay.generators.templates.stage import ProductStage
from assay.generators.templates.targets.cpp_stages import stored_text
from assay.generators.templates.targets.cpp_writer import TYPES, CppWriter


def product_text(
    name: str, stage: ProductStage, memory: Mapping[str, str], point: Mapping[str, str]
) -> list[str]:
    """The body of a function that multiplies matrices."""
    tall, wide, deep = point["tile_m"], point["tile_n"], point["tile_k"]
    kind = TYPES[stage.left.dtype]
    batch = " * ".join(f"({cpp_text(one.size)})" for one in stage.batch) or "1"
    m, n, k = (cpp_text(one.size) for one in (stage.m, stage.n, stage.k))
    names = {one.variable: str(one.variable) for one in (*stage.batch, stage.m, stage.n, stage.k)}
    return [
        f"const int64_t M = {m}, N = {n}, K = {k}, BATCH = {batch};",
        f"const int64_t down = (M + {tall} - 1) / {tall}, across = (N + {wide} - 1) / {wide};",
        f"#pragma omp parallel num_threads({point['threads']})"
        f" if(BATCH * M * N * K > {point['serial_below']})",
        "{",
        f"  std::vector<{kind}> left({tall} * {deep}), right;",
        "  #pragma omp for schedule(static) collapse(2)",
        "  for (int64_t member = 0; member < BATCH; ++member)",
        "  for (int64_t column = 0; column < across; ++column) {",
        *(f"    {line}" for line in _decoded(stage, names)),
        f"    right.resize(K * {wide});",
        *(f"    {line}" for line in _packed_right(stage, names, memory, wide)),
        "    for (int64_t line = 0; line < down; ++line) {",
        f"      {kind} sums[{tall}][{wide}] = {{}};",
        f"      for (int64_t first = 0; first < K; first += {deep}) {{",
        f"        const int64_t depth = K - first < {deep} ? K - first : {deep};",
        *(f"        {line}" for line in _packed_left(stage, names, memory, tall)),
        "        for (int64_t p = 0; p < depth; ++p)",
        f"          for (int64_t i = 0; i < {tall}; ++i) {{",
        "            #pragma omp simd",
        f"            for (int64_t j = 0; j < {wide}; ++j)",
        f"              sums[i][j] += left[p * {tall} + i] * right[(first + p) * {wide} + j];",
        "          }",
        "      }",
        *(f"      {line}" for line in _stored(stage, names, memory, tall, wide)),
        "    }",
        "  }",
        "}",
    ]


def _decoded(stage: ProductStage, names: Mapping[Any, str]) -> list[str]:
    lines, rest = [], "member"
    for place in reversed(range(len(stage.batch))):
        one = names[stage.batch[place].variable]
        size = cpp_text(stage.batch[place].size)
        if place == 0:
            lines.append(f"const int64_t {one} = {rest};")
        else:
            lines.append(f"const int64_t {one} = {rest} % ({size});")
            lines.append(f"const int64_t member_{place} = {rest} / ({size});")
            rest = f"member_{place}"
    return lines


def _packed_right(
    stage: ProductStage, names: Mapping[Any, str], memory: Mapping[str, str], wide: str
) -> list[str]:
    writer = CppWriter(names, memory)
    value = writer.written(stage.right)
    k, n = names[stage.k.variable], names[stage.n.variable]
    return [
        f"for (int64_t {k} = 0; {k} < K; ++{k})",
        f"  for (int64_t j = 0; j < {wide}; ++j) {{",
        f"    const int64_t {n} = column * {wide} + j;",
        f"    if ({n} >= N) {{ right[{k} * {wide} + j] = 0; continue; }}",
        *(f"    {line}" for line in writer.lines),
        f"    right[{k} * {wide} + j] = {value};",
        "  }",
    ]


def _packed_left(
    stage: ProductStage, names: Mapping[Any, str], memory: Mapping[str, str], tall: str
) -> list[str]:
    writer = CppWriter(names, memory)
    value = writer.written(stage.left)
    k, m = names[stage.k.variable], names[stage.m.variable]
    return [
        f"for (int64_t i = 0; i < {tall}; ++i) {{",
        f"  const int64_t {m} = line * {tall} + i;",
        "  for (int64_t p = 0; p < depth; ++p) {",
        f"    const int64_t {k} = first + p;",
        f"    if ({m} >= M) {{ left[p * {tall} + i] = 0; continue; }}",
        *(f"    {line}" for line in writer.lines),
        f"    left[p * {tall} + i] = {value};",
        "  }",
        "}",
    ]


def _stored(
    stage: ProductStage, names: Mapping[Any, str], memory: Mapping[str, str], tall: str, wide: str
) -> list[str]:
    writer = CppWriter({**names, stage.total: "total"}, memory)
    stored = [stored_text(writer, one) for one in stage.stores]
    m, n = names[stage.m.variable], names[stage.n.variable]
    return [
        f"for (int64_t i = 0; i < {tall}; ++i)",
        f"  for (int64_t j = 0; j < {wide}; ++j) {{",
        f"    const int64_t {m} = line * {tall} + i, {n} = column * {wide} + j;",
        f"    if ({m} >= M || {n} >= N) continue;",
        f"    const {TYPES[stage.left.dtype]} total = sums[i][j];",
        *(f"    {line}" for line in writer.lines),
        *(f"    {line}" for line in stored),
        "  }",
    ]
