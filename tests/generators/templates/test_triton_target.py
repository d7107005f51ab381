"""Triton texts: they compile for a Hopper GPU without one, and compute what eager computes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from assay.generators.templates.triton_target import TritonTarget
from stored_graph import NAMES, stored_plan

pytest.importorskip("triton")
_KINDS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "int64": "i64", "bool": "i1"}
_BLOCKS = {"BLOCK": 256, "ROWS": 2, "COLUMNS": 128, "TILE_M": 16, "TILE_N": 16, "TILE_K": 16}
_COMPARE = """
import sys, torch
from importlib.util import module_from_spec, spec_from_file_location
from assay.languages.triton.triton_interpreter import repair
from assay.tasks.catalog import resolve
repair()
def loaded(path):
    spec = spec_from_file_location("m", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
for task, candidate in zip(sys.argv[1::2], sys.argv[2::2]):
    reference, made = loaded(task), loaded(candidate)
    model, own = reference.Model().eval(), made.ModelNew().eval()
    own.load_state_dict(model.state_dict())
    inputs = reference.get_inputs()
    with torch.no_grad():
        wanted, found = model(*inputs), own(*inputs)
    torch.testing.assert_close(found, wanted, rtol=2e-2, atol=1e-4, check_stride=False)
"""


def _loaded(path: Path) -> Any:
    spec = spec_from_file_location("kernel", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_compiles_for_hopper(name: str, tmp_path: Path) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    planned, target = stored_plan(name), TritonTarget()
    path = tmp_path / "kernel.py"
    path.write_text(target.text(planned, target.space(planned).default))
    for kernel, function in vars(_loaded(path)).items():
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
