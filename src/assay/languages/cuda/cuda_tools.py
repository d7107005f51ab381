"""NVIDIA's tools: where ptxas, cuobjdump and CUTLASS are. Triton's package carries the first two.

The rule: a tool that is not here leaves figures out; it never stops a compilation.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from assay.languages.cuda.cuda_language import find_nvcc

CUTLASS_PACKAGE = "cutlass_library"  # of the distribution nvidia-cutlass


def find_cuobjdump() -> str | None:
    """Path of the disassembler."""
    return _tool("cuobjdump")


def find_ptxas(capability: int) -> str | None:
    """Path of the assembler; Triton has one of its own for Blackwell and later."""
    own = _in_triton("ptxas-blackwell" if capability >= 100 else "ptxas")
    return own or _tool("ptxas")


def find_cutlass() -> str | None:
    """The folder of CUTLASS's headers, CuTe among them: of its package, or under CUTLASS_PATH."""
    spec = find_spec(CUTLASS_PACKAGE)
    folders = (
        [Path(one) / "source" for one in (spec.submodule_search_locations or ())] if spec else []
    )
    folders += [Path(os.environ["CUTLASS_PATH"])] if "CUTLASS_PATH" in os.environ else []
    found = (folder / "include" for folder in folders)
    return next((str(one) for one in found if (one / "cute" / "tensor.hpp").exists()), None)


def toolkit_folder() -> str | None:
    """The folder that holds nvcc and what it needs, or None where there is no nvcc."""
    nvcc = find_nvcc()
    return None if nvcc is None else str(Path(os.path.realpath(nvcc)).parents[1])


def _tool(name: str) -> str | None:
    nvcc = find_nvcc()
    beside = Path(os.path.realpath(nvcc)).parent / name if nvcc else None
    if beside is not None and beside.exists():
        return str(beside)
    return _in_triton(name) or shutil.which(name)


def _in_triton(name: str) -> str | None:
    spec = find_spec("triton")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "backends" / "nvidia" / "bin" / name
        if path.exists():
            return str(path)
    return None
