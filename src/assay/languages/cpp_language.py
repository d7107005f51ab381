"""C++ that a Python candidate compiles itself: load_inline, or a compiler with ctypes.

The rule: the compiler runs in the sandbox as part of the build, and its caches are private there.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from assay.languages.language import KernelTarget, Language

if TYPE_CHECKING:
    from assay.languages.source_use import SourceUse

COMPILERS = ("c++", "g++", "clang++")
_PROGRAMS = frozenset(("g++", "gcc", "c++", "cc", "clang", "clang++", "icpx"))
INSTALL = "apt-get install g++   (or your system's C++ compiler)"


def system_compiler() -> str | None:
    """Path of the system's C++ compiler, or None."""
    for name in COMPILERS:
        found = shutil.which(name)
        if found is not None:
            return found
    return None


class CppLanguage(Language):
    """Candidates that build a shared object or a torch extension."""

    name = "cpp"
    specificity = 10
    preload: tuple[str, ...] = ("torch", "torch.utils.cpp_extension")
    tools = ("pybind11", "cffi")
    packages = ("cppyy", "tinycc", "weave")
    extension_makers = frozenset(
        """torch.utils.cpp_extension.load_inline torch.utils.cpp_extension.load
        torch.utils.cpp_extension.jit_load cffi.FFI cppyy.cppdef
        torch.utils._cpp_extension_versioner cppyy.gbl
        pybind11.setup_helpers.Pybind11Extension torch.utils.cpp_extension.CppExtension
        tinycc.compile weave.inline""".split()
    )

    child_modules: tuple[str, ...] = ("assay.languages.extension.extension_build",)
    builds_extensions = True

    def available(self) -> str | None:
        """Needs a C++ compiler."""
        if system_compiler() is not None:
            return None
        return f"no C++ compiler on PATH; install one with: {INSTALL}"

    def detect(self, use: SourceUse) -> bool:
        """By torch's way to build an extension, or by the name of a compiler."""
        built = any(name.endswith((".load_inline", "cpp_extension")) for name in use.imports)
        return built or "load_inline" in use.attributes or bool(use.programs & _PROGRAMS)

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """Torch puts ccache before the compiler where it finds it; a shared cache is no build."""
        return {"CCACHE_DISABLE": "1"}

    def prepare(self, interpreted: bool) -> None:
        """The host compiles what torch would let ninja compile."""
        from assay.languages.extension.extension_build import install

        install()
