"""Triton: compiled on a CUDA device, interpreted on a CPU.

The rule: the interpreter's time says nothing about a GPU, so it is never reported as a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.languages.language import missing_module

# The version that PyPI's CUDA build of torch 2.13 requires; the CPU build requires none.
INSTALL = "pip install triton==3.7.1"


@dataclass(frozen=True, slots=True)
class TritonLanguage:
    """Candidates with `@triton.jit` kernels."""

    name: str = "triton"
    preload: tuple[str, ...] = ("torch", "triton", "triton.language")

    def available(self) -> str | None:
        """Needs the triton package."""
        return missing_module("triton", INSTALL)

    def interpreted(self, device: str) -> bool:
        """On a CPU its interpreter runs the kernels."""
        return device == "cpu"

    def environment(self, device: str) -> dict[str, str]:
        """TRITON_INTERPRET must be set before triton is imported: the decorators read it."""
        return {"TRITON_INTERPRET": "1"} if device == "cpu" else {}
