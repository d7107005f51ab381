"""Triton texts: they compile for a Hopper GPU without one, and compute what eager computes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.generators.templates.targets.triton_target import TritonTarget
from assay.tasks.catalog import resolve
from stored_graph import NAMES, loaded, stored_plan

pytest.importorskip("triton")
_KINDS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "int64": "i64", "bool": "i1"}
_BLOCKS = {"BLOCK": 256, "ROWS": 2, "COLUMNS": 128, "TILE_M": 16, "TILE_N": 16, "TILE_K": 16}
_COMPARE = """
import sys
from pathlib import Path
from assay.languages.triton.triton_interpreter import repair
from stored_graph import assert_same_as_reference
repair()
for folder in map(Path, sys.argv[1:]):
    assert_same_as_reference(folder / "task.py", folder / "kernel.py", own_sizes=False)
"""


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_compiles_for_hopper(name: str, tmp_path: Path) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    planned, target = stored_plan(name), TritonTarget()
    path = tmp_path / "kernel.py"
    path.write_text(target.text(planned, target.space(planned).default))
    for kernel, function in vars(loaded(path)).items():
        if not kernel.startswith("stage"):
            continue
        types, constants = {}, {}
        for place, one in enumerate(function.arg_names):
            if one in planned.memory:
                types[one] = f"*{_KINDS[planned.memory[one]]}"
            elif re.fullmatch(r"s\d+", one):
                types[one] = "i32"
            else:
                types[one] = "constexpr"
                constants[(place,)] = _BLOCKS[one]
        source = ASTSource(function, types, constexprs=constants)
        made = triton.compile(source, target=GPUTarget("cuda", 90, 32))
        assert "ptx" in made.asm, kernel


@pytest.mark.exhaustive
def test_the_interpreter_computes_what_eager_does(tmp_path: Path) -> None:
    folders = []
    for name in ("layernorm", "cross_entropy", "column_sum", "fused_elu_linear", "rope"):
        planned, target = stored_plan(name), TritonTarget()
        folder = tmp_path / name
        folder.mkdir()
        text = target.text(planned, target.space(planned).default)
        (folder / "kernel.py").write_text(text)
        source = resolve(name).source
        (folder / "task.py").write_text(source)
        folders.append(str(folder))
    tests = str(Path(__file__).parents[2])
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": tests}
    ended = subprocess.run(
        [sys.executable, "-c", _COMPARE, *folders],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2000:]
