"""CppTarget: a plan as C++ with OpenMP, compiled by the candidate itself.

The rule: the compiler is told nothing that changes results beyond the contraction of a product
and a sum.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.generators.templates.config_space import ConfigSpace, Parameter, Point
from assay.generators.templates.stage import ElementStage, ProductStage, RowStage, Stage
from assay.generators.templates.targets.candidate_module import (
    PlannedTask,
    Target,
    module_text,
    stage_buffers,
    stage_sizes,
    written_buffers,
)
from assay.generators.templates.targets.cpp_products import product_text
from assay.generators.templates.targets.cpp_stages import element_text, row_text
from assay.generators.templates.targets.cpp_writer import PRELUDE, TYPES

_BUILD = """
def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["g++", *FLAGS, "-o", path + ".so", path, "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(path + ".so")
"""
_FLAGS = (
    "-std=c++17", "-shared", "-fPIC", "-fopenmp", "-fno-math-errno", "-fno-trapping-math",
)  # fmt: skip


class CppTarget(Target):
    """C++ on a processor."""

    language = "cpp"

    def space(self, planned: PlannedTask) -> ConfigSpace:
        """The parameters of the templates that the task needs."""
        found = [
            Parameter("optimise", ("-O2", "-O3"), "-O3"),
            Parameter("march", ("baseline", "native"), "native"),
            Parameter("threads", ("1", "omp_get_max_threads()"), "omp_get_max_threads()"),
            Parameter("serial_below", ("0", "16384", "131072", "1048576"), "16384"),
        ]
        kinds = {type(one) for one in planned.stages}
        if RowStage in kinds:
            found.append(Parameter("block", ("256", "1024", "4096"), "1024"))
        if ProductStage in kinds:
            found.append(Parameter("tile_m", ("2", "4", "6"), "4"))
            found.append(Parameter("tile_n", ("8", "16", "32"), "16"))
            found.append(Parameter("tile_k", ("128", "256", "512"), "256"))
        return ConfigSpace(tuple(found))

    def text(self, planned: PlannedTask, point: Point) -> str:
        """The candidate's file at one point."""
        functions, launches, types = [], [], []
        for number, stage in enumerate(planned.stages):
            name = f"stage{number}"
            functions.append(_function(name, stage, planned.memory, point))
            buffers, sizes = stage_buffers(stage), stage_sizes(stage)
            given = [*(f"{one}.data_ptr()" for one in buffers), *sizes]
            launches.append(f"LIB.{name}({', '.join(given)})")
            kinds = ["ctypes.c_void_p"] * len(buffers) + ["ctypes.c_int64"] * len(sizes)
            types.append(f"LIB.{name}.argtypes = [{', '.join(kinds)}]")
        source = PRELUDE + "#include <omp.h>\n" + "\n".join(functions) + "\n"
        flags = [*_FLAGS, point["optimise"]]
        if point["march"] == "native":
            flags.append("-march=native")
        kernels = "\n\n".join(
            [f"FLAGS = {flags!r}", f'SOURCE = r"""{source}"""', _BUILD.strip("\n"),
             "LIB = build(SOURCE)\n" + "\n".join(types)]
        )  # fmt: skip
        head = [
            "import ctypes",
            "import os",
            "import subprocess",
            "import tempfile",
            "import torch",
        ]
        title = f"{planned.task.id} in C++ with OpenMP, written from a template."
        return module_text(planned, title, head, kernels, launches)


def _function(name: str, stage: Stage, memory: Mapping[str, str], point: Point) -> str:
    written = written_buffers(stage)
    given = [
        f"{'' if one in written else 'const '}{TYPES[memory[one]]}* __restrict__ {one}"
        for one in stage_buffers(stage)
    ]
    given += [f"const int64_t {one}" for one in stage_sizes(stage)]
    match stage:
        case ElementStage():
            body = element_text(name, stage, memory, point)
        case RowStage():
            body = row_text(name, stage, memory, point)
        case ProductStage():
            body = product_text(name, stage, memory, point)
    lines = "\n".join(f"  {one}" for one in body)
    return f'extern "C" void {name}({", ".join(given)}) {{\n{lines}\n}}\n'
