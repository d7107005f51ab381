"""Triton: compiled on a CUDA device, interpreted on a CPU.

The rule: the interpreter's time says nothing about a GPU, so it is never reported as a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.languages.language import KernelTarget, Language, missing_module

if TYPE_CHECKING:
    from assay.languages.source_use import SourceUse

# The version that PyPI's CUDA build of torch 2.13 requires; the CPU build requires none.
INSTALL = "pip install triton==3.7.1"
# What the interpreter raises where it lacks an operation, an attribute or a compiler.
_GAPS = (
    re.compile(r"'InterpreterBuilder' object has no attribute '(?:create_|get_)?(\w+)'"),
    re.compile(r"'InterpretedFunction' object has no attribute '(\w+)'"),
    re.compile(r"InterpreterError\W+NotImplementedError\W*([^'\")]*)"),
    re.compile(r"(?:InterpreterError|RuntimeError|NotImplementedError)\b.*?(\S[^'\"]*"
               r" not supported in (?:the )?interpreter[^'\"]*)"),
    re.compile(r"(`?_semantic`?) argument must be provided outside of JIT functions"),
    re.compile(r"RuntimeError: (\w+): there is no device here"),
)  # fmt: skip


class TritonLanguage(Language):
    """Candidates with `@triton.jit` kernels."""

    name = "triton"
    specificity = 40
    # The last brings what its compiler imports when a first kernel is compiled, some forty modules.
    preload = ("torch", "triton", "triton.language", "triton.compiler.code_generator")
    child_modules = (
        "assay.languages.triton.triton_interpreter",
        "assay.languages.triton.triton_ablation",
    )
    tools = ("triton",)
    compile_cache = "triton"
    untimed = "Triton runs in its interpreter on a CPU: its time says nothing of a GPU's"
    kernel_makers = frozenset(
        """triton.jit triton.runtime.jit.jit triton.runtime.jit triton.autotune triton.heuristics
        triton.experimental.gluon.jit gluon.jit""".split()
    )

    def available(self) -> str | None:
        """Needs the triton package."""
        return missing_module("triton", INSTALL)

    def detect(self, use: SourceUse) -> bool:
        """By its import."""
        return "triton" in use.roots

    def interpreted(self, target: KernelTarget) -> bool:
        """On a CPU its interpreter runs the kernels."""
        return not target.accelerated

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """TRITON_INTERPRET must be set before triton is imported: the decorators read it."""
        interpreted = {"TRITON_INTERPRET": "1"} if self.interpreted(target) else {}
        return {"TRITON_CACHE_DIR": f"{home}/{self.compile_cache}", **interpreted}

    def prepare(self, interpreted: bool) -> None:
        """The interpreter is repaired."""
        if interpreted:
            from assay.languages.triton.triton_interpreter import repair

            repair()

    def silence(self) -> Callable[[], int]:
        """The interpreter's launches."""
        from assay.languages.triton.triton_ablation import SilencedLaunches

        silenced = SilencedLaunches()
        return lambda: silenced.count

    def lacks(self, message: str) -> str | None:
        """What its interpreter raises."""
        for gap in (pattern.search(message) for pattern in _GAPS):
            if gap is not None:
                what = gap.group(1).strip() or "an operation of this kernel"
                return f"Triton's interpreter cannot run {what}"
        return None
