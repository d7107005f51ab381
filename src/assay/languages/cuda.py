"""CUDA C++: compiled by nvcc, through load_inline or by the candidate itself.

The rule: without a CUDA device there is nothing to run it on, and that is said before anything is
built.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

INSTALL = "install the CUDA toolkit that matches torch, and put nvcc on PATH or set CUDA_HOME"


def find_nvcc() -> str | None:
    """Path of nvcc: on PATH, or under CUDA_HOME."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    beside = Path(home) / "bin" / "nvcc"
    return shutil.which("nvcc") or (str(beside) if beside.exists() else None)


@dataclass(frozen=True, slots=True)
class CudaLanguage:
    """Candidates with CUDA sources."""

    name: str = "cuda"
    preload: tuple[str, ...] = ("torch", "torch.utils.cpp_extension")

    def available(self) -> str | None:
        """Needs nvcc."""
        if find_nvcc() is not None:
            return None
        return f"nvcc was not found; {INSTALL}"

    def interpreted(self, device: str) -> bool:
        """Its kernels are compiled."""
        return False

    def environment(self, device: str) -> dict[str, str]:
        """Torch puts ccache before the compiler where it finds it; a shared cache is no build."""
        return {"CCACHE_DISABLE": "1"}
