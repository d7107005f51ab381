"""Numba: Python loops compiled by LLVM when they are first called.

The rule: its cache stays inside the sandbox, so that no candidate finds another's code there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.languages.language import KernelTarget, Language, missing_module

if TYPE_CHECKING:
    from assay.languages.source_use import SourceUse

INSTALL = "pip install numba"


class NumbaLanguage(Language):
    """Candidates with njit, vectorize, guvectorize or stencil kernels."""

    name = "numba"
    specificity = 20
    preload = ("torch", "numpy", "numba")
    tools = ("numba", "llvmlite")
    packages = ("numba_cuda", "cuda")  # its device back end is a distribution of its own
    kernel_makers = frozenset(
        """numba.njit numba.jit numba.vectorize numba.guvectorize numba.stencil numba.cuda.jit
        numba.cfunc numba.core.decorators.njit numba.core.decorators.jit numba.cuda.reduce
        numba.cuda.vectorize llvmlite.binding.create_mcjit_compiler""".split()
    )

    def available(self) -> str | None:
        """Needs the numba package."""
        return missing_module("numba", INSTALL)

    def detect(self, use: SourceUse) -> bool:
        """By its import."""
        return "numba" in use.roots

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """The cache folder."""
        return {"NUMBA_CACHE_DIR": f"{home}/numba"}
