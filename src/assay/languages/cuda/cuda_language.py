"""CUDA C++: compiled by nvcc, through load_inline or by the candidate itself.

The rule: without a CUDA device there is nothing to run it on, and that is said before anything is
built.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from assay.languages.language import KernelTarget, Language

if TYPE_CHECKING:
    from assay.languages.source_use import SourceUse

INSTALL = "install the CUDA toolkit that matches torch, and put nvcc on PATH or set CUDA_HOME"


def find_nvcc() -> str | None:
    """Path of nvcc: on PATH, or under CUDA_HOME."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    beside = Path(home) / "bin" / "nvcc"
    return shutil.which("nvcc") or (str(beside) if beside.exists() else None)


class CudaLanguage(Language):
    """Candidates with CUDA sources."""

    name = "cuda"
    specificity = 30
    suffixes = (".cu", ".cuh", ".h", ".hpp")
    preload = ("torch", "torch.utils.cpp_extension")
    packages = ("cupy", "pycuda", "cutlass", "nvidia-cutlass-dsl", "cuda", "hip")
    tool_folders = ("/usr/local/cuda/bin",)
    kernel_makers = frozenset(
        """torch.cuda._compile_kernel cupy.RawKernel cupy.ElementwiseKernel cupy.ReductionKernel
        cupyx.jit.rawkernel pycuda.elementwise.ElementwiseKernel
        torch.cuda.jiterator._create_jit_fn cutlass.cute.kernel cutlass.cute.jit
        cuda.tile.kernel cuda.tile.function""".split()
    )
    extension_makers = frozenset(
        """cupy.RawModule cuda.core.Program cuda.core.experimental.Program
        pycuda.compiler.SourceModule hip.hiprtc""".split()
    )

    child_modules: tuple[str, ...] = ("assay.languages.extension.extension_build",)
    builds_extensions = True

    def available(self) -> str | None:
        """Needs nvcc."""
        if find_nvcc() is not None:
            return None
        return f"nvcc was not found; {INSTALL}"

    def detect(self, use: SourceUse) -> bool:
        """By its files, by torch's ways to compile it, its compilers, or packages for it."""
        if not use.is_python:
            return use.paths[0].endswith(self.suffixes)
        given = use.keywords & {"cuda_sources", "cuda_source"} | use.programs & {"nvcc", "hipcc"}
        packages = use.roots & {"cupy", "pycuda", "cutlass"}
        compiled = "_compile_kernel" in use.attributes or use.holds(".cu", ".cuh")
        return compiled or bool(given or packages)

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """The driver compiles too, and keeps what it made."""
        return {"CUDA_CACHE_PATH": f"{home}/cuda"}

    def prepare(self, interpreted: bool) -> None:
        """The host compiles what torch would let ninja compile."""
        from assay.languages.extension.extension_build import install

        install()
