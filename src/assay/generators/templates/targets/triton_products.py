"""TritonProducts: the text of a product stage in Triton: one tile of results a program.

The rule: float32 is multiplied as float32: by `ieee`, or as three products of tf32 that together
are as accurate. Narrow floats are multiplied as they are, and added in float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.generators.templates.config_space import Point
from assay.generators.templates.graph.symbolic_size import product, python_text
from assay.generators.templates.stage import ProductStage
from assay.generators.templates.targets.triton_stages import (
    decoded,
    function_text,
    indented,
    stored_text,
)
from assay.generators.templates.targets.triton_writer import TritonWriter, triton_type

_GROUP = 8  # rows of tiles that neighbours in time share


def product_text(
    name: str,
    stage: ProductStage,
    memory: Mapping[str, str],
    arguments: Sequence[str],
    point: Point,
) -> str:
    """A kernel that multiplies matrices and stores what is made of the result."""
    batch_names, batch_lines = decoded("member", stage.batch)
    names = {**batch_names, stage.m.variable: "m", stage.n.variable: "n", stage.k.variable: "k"}
    count = {key: python_text(getattr(stage, key).size) for key in "mnk"}
    wide = triton_type(stage.left.dtype)
    body = [
        "member = tl.program_id(1)",
        f"down = tl.cdiv({count['m']}, TILE_M)",
        f"across = tl.cdiv({count['n']}, TILE_N)",
        f"band = {_GROUP} * across",
        f"first = tl.program_id(0) // band * {_GROUP}",
        f"height = tl.minimum(down - first, {_GROUP})",
        "m_tile = first + tl.program_id(0) % band % height",
        "n_tile = tl.program_id(0) % band // height",
        *(batch_lines if stage.batch else []),
        "total = tl.zeros([TILE_M, TILE_N], tl.float32)"
        if stage.left.dtype == "float32"
        else f"total = tl.zeros([TILE_M, TILE_N], {wide})",
        f"for start in range(0, {count['k']}, TILE_K):",
        *indented(_factor(stage, names, memory, left=True, count=count)),
        *indented(_factor(stage, names, memory, left=False, count=count)),
        f"    total = tl.dot(left, right, total{_precision(stage, point)})",
        "m = (m_tile * TILE_M + tl.arange(0, TILE_M))[:, None]",
        "n = (n_tile * TILE_N + tl.arange(0, TILE_N))[None, :]",
        f"m_inside = m < {count['m']}",
        f"n_inside = n < {count['n']}",
        "zero = m * 0 + n * 0",
        *_stored(stage, names, memory),
    ]
    constants = [f"TILE_{one}: tl.constexpr" for one in "MNK"]
    return function_text(name, [*arguments, *constants], body)


def _precision(stage: ProductStage, point: Point) -> str:
    if stage.narrow != "float32":
        return ""
    return f', input_precision="{point["precision"]}"'


def _factor(
    stage: ProductStage, names: Mapping[object, str], memory: Mapping[str, str], left: bool,
    count: Mapping[str, str],
) -> list[str]:  # fmt: skip
    """A tile of one factor: its values inside, zero outside."""
    outer = "m" if left else "n"
    shapes = {
        "outer": "[:, None]" if left else "[None, :]",
        "k": "[None, :]" if left else "[:, None]",
    }
    loop = stage.m if left else stage.n
    masks = [
        (frozenset({loop.variable}), f"{outer}_inside"),
        (frozenset({stage.k.variable}), "k_inside"),
    ]
    prefix = 0 if left else 500
    writer = TritonWriter(names, memory, masks, prefix)
    value = writer.written(stage.left if left else stage.right)
    kind = triton_type(stage.narrow)
    inside = f"{outer}_inside & k_inside"
    return [
        f"{outer} = ({outer}_tile * TILE_{outer.upper()} + tl.arange(0, TILE_{outer.upper()}))"
        f"{shapes['outer']}",
        f"k = (start + tl.arange(0, TILE_K)){shapes['k']}",
        f"{outer}_inside = {outer} < {count[outer]}",
        f"k_inside = k < {count['k']}",
        f"zero = {outer} * 0 + k * 0",
        *writer.lines,
        f"{'left' if left else 'right'} = tl.where({inside}, {value}, 0.0).to({kind})",
    ]


def _stored(
    stage: ProductStage, names: Mapping[object, str], memory: Mapping[str, str]
) -> list[str]:
    masks = [
        (frozenset({stage.m.variable}), "m_inside"),
        (frozenset({stage.n.variable}), "n_inside"),
    ]
    writer = TritonWriter({**names, stage.total: "total"}, memory, masks, 1000)
    stored = [stored_text(writer, one, "m_inside & n_inside", "zero") for one in stage.stores]
    return [*writer.lines, *stored]


def product_launch(name: str, stage: ProductStage, handed: str, point: Point) -> list[str]:
    """The lines that launch it."""
    m, n = python_text(stage.m.size), python_text(stage.n.size)
    batch = python_text(product([one.size for one in stage.batch]))
    tiles = f"triton.cdiv({m}, {point['tile_m']}) * triton.cdiv({n}, {point['tile_n']})"
    launch = (
        f"{name}[({tiles}, {batch})]({handed}, TILE_M={point['tile_m']}, TILE_N={point['tile_n']},"
        f" TILE_K={point['tile_k']}, num_warps={point['product_warps']},"
        f" num_stages={point['stages']})"
    )
    return [f"if {m} > 0 and {n} > 0 and {batch} > 0:", f"    {launch}"]
