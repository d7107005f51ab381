"""TritonTarget: a plan as Triton kernels, one launch a stage.

The rule: an empty block is not launched. Blocks follow the sizes of the call, so that one file
serves all shapes.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.generators.templates.config_space import ConfigSpace, Parameter, Point
from assay.generators.templates.graph.expression import ElementLoad, every
from assay.generators.templates.graph.symbolic_size import product, python_text
from assay.generators.templates.loop_joining import step_of
from assay.generators.templates.stage import (
    ElementStage,
    Loop,
    ProductStage,
    RowStage,
    Stage,
    expressions_of,
)
from assay.generators.templates.targets.candidate_module import (
    PlannedTask,
    Target,
    module_text,
    stage_buffers,
    stage_sizes,
)
from assay.generators.templates.targets.triton_products import product_launch, product_text
from assay.generators.templates.targets.triton_stages import COMBINES, element_text, row_text

_ROWS_AT_ONCE = """
def row_shape(columns, rows, longest):
    width = triton.next_power_of_2(max(columns, 1))
    height = max(1, min(rows, longest // width))
    return height, width, max(1, min(16, height * width // ELEMENTS_A_WARP))
"""


class TritonTarget(Target):
    """Triton on a GPU."""

    language = "triton"

    def space(self, planned: PlannedTask) -> ConfigSpace:
        """The parameters of the templates that the task needs."""
        found: list[Parameter] = []
        if any(isinstance(one, ElementStage) for one in planned.stages):
            found.append(Parameter("block", ("256", "512", "1024", "2048", "4096"), "1024"))
            found.append(Parameter("warps", ("2", "4", "8"), "4"))
        rows = [one for one in planned.stages if isinstance(one, RowStage)]
        if any(not strided(one) for one in rows):
            found.append(Parameter("rows", ("1", "2", "4", "8"), "1"))
            found.append(Parameter("elements_a_warp", ("128", "256", "512", "1024"), "512"))
            found.append(Parameter("longest", ("2048", "4096", "8192", "16384"), "16384"))
            found.append(Parameter("long_block", ("1024", "2048", "4096"), "2048"))
        if any(strided(one) for one in rows):
            found.append(Parameter("strided_rows", ("16", "32", "64", "128"), "32"))
            found.append(Parameter("strided_block", ("8", "16", "32", "64", "128"), "32"))
            found.append(Parameter("strided_warps", ("2", "4", "8"), "4"))
        if any(isinstance(one, ProductStage) for one in planned.stages):
            found += product_parameters(planned)
        return ConfigSpace(tuple(found))

    def text(self, planned: PlannedTask, point: Point) -> str:
        """The candidate's file at one point."""
        kernels: list[str] = []
        launches: list[str] = []
        for number, stage in enumerate(planned.stages):
            texts, lines = _stage(f"stage{number}", stage, planned, point)
            kernels += texts
            launches += lines
        used = "\n".join(kernels)
        if "larger)" in used or "smaller)" in used or "times)" in used:
            kernels.insert(0, COMBINES.strip("\n"))
        if any("row_shape(" in one for one in launches):
            known = _ROWS_AT_ONCE.replace("ELEMENTS_A_WARP", point["elements_a_warp"])
            kernels.append(known.strip("\n"))
        head = ["import torch", "import triton", "import triton.language as tl"]
        if "libdevice." in used:
            head.append("from triton.language.extra import libdevice")
        title = f"{planned.task.id} in Triton, written from a template."
        return module_text(planned, title, head, "\n\n\n".join(kernels), launches)


def product_parameters(planned: PlannedTask) -> list[Parameter]:
    """Of products of matrices."""
    stages = [one for one in planned.stages if isinstance(one, ProductStage)]
    found = [
        Parameter("tile_m", ("16", "32", "64", "128"), "32"),
        Parameter("tile_n", ("16", "32", "64", "128"), "32"),
        Parameter("tile_k", ("16", "32", "64"), "32"),
        Parameter("product_warps", ("2", "4", "8"), "4"),
        Parameter("stages", ("2", "3", "4"), "3"),
    ]
    if any(one.narrow == "float32" for one in stages):
        found.append(Parameter("precision", ("ieee", "tf32x3"), "ieee"))
    return found


def strided(stage: RowStage) -> bool:
    """Whether neighbours in memory are rows, not columns."""
    if not stage.columns or not stage.rows:
        return False
    row, column = stage.rows[-1].variable, stage.columns[-1].variable
    loads = [
        one
        for one in every(expressions_of(stage))
        if isinstance(one, ElementLoad) and {row, column} <= one.own_symbols()
    ]
    along = sum(step_of(one.offset, column) == 1 for one in loads)
    across = sum(step_of(one.offset, row) == 1 for one in loads)
    return bool(across > along)


def _stage(
    name: str, stage: Stage, planned: PlannedTask, point: Point
) -> tuple[list[str], list[str]]:
    """The kernels of a stage, and the lines that launch it."""
    given = [*stage_buffers(stage), *stage_sizes(stage)]
    handed = ", ".join(given)
    match stage:
        case ElementStage():
            count = _count(stage.loops)
            launch = (
                f"{name}[(triton.cdiv({count}, {point['block']}),)]"
                f"({handed}, BLOCK={point['block']}, num_warps={point['warps']})"
            )
            text = element_text(name, stage, planned.memory, given)
            return [text], _if_any(count, [launch])
        case RowStage():
            return _rows(name, stage, planned, point)
        case ProductStage():
            text = product_text(name, stage, planned.memory, given, point)
            return [text], product_launch(name, stage, handed, point)


def _rows(
    name: str, stage: RowStage, planned: PlannedTask, point: Point
) -> tuple[list[str], list[str]]:
    given = [*stage_buffers(stage), *stage_sizes(stage)]
    handed = ", ".join(given)
    rows, columns = _count(stage.rows), _count(stage.columns)
    looped = row_text(f"{name}_long", stage, planned.memory, given, looped=True)
    if strided(stage):
        height, width = point["strided_rows"], point["strided_block"]
        launch = (
            f"{name}_long[(triton.cdiv({rows}, {height}),)]({handed}, ROWS={height},"
            f" COLUMNS={width}, num_warps={point['strided_warps']})"
        )
        return [looped], _if_any(rows, [launch])
    at_once = row_text(name, stage, planned.memory, given, looped=False)
    block = point["long_block"]
    lines = [
        f"height, width, warps = row_shape({columns}, {point['rows']}, {point['longest']})",
        f"if width <= {point['longest']}:",
        f"    {name}[(triton.cdiv({rows}, height),)]({handed}, ROWS=height, COLUMNS=width,"
        " num_warps=warps)",
        "else:",
        f"    {name}_long[({rows},)]({handed}, ROWS=1, COLUMNS={block}, num_warps=8)",
    ]
    return [at_once, looped], _if_any(rows, lines)


def _count(loops: Sequence[Loop]) -> str:
    return python_text(product([one.size for one in loops]))


def _if_any(count: str, lines: Sequence[str]) -> list[str]:
    if count.isdigit():
        return list(lines)
    return [f"if {count} > 0:", *(f"    {line}" for line in lines)]
