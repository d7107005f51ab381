"""C++ that a Python candidate compiles itself: load_inline, or a compiler with ctypes.

The rule: the compiler runs in the sandbox as part of the build, and its caches are private there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass

COMPILERS = ("c++", "g++", "clang++")
INSTALL = "apt-get install g++   (or your system's C++ compiler)"


def system_compiler() -> str | None:
    """Path of the system's C++ compiler, or None."""
    for name in COMPILERS:
        found = shutil.which(name)
        if found is not None:
            return found
    return None


@dataclass(frozen=True, slots=True)
class CppLanguage:
    """Candidates that build a shared object or a torch extension."""

    name: str = "cpp"
    preload: tuple[str, ...] = ("torch", "torch.utils.cpp_extension")

    def available(self) -> str | None:
        """Needs a C++ compiler."""
        if system_compiler() is not None:
            return None
        return f"no C++ compiler on PATH; install one with: {INSTALL}"

    def interpreted(self, device: str) -> bool:
        """Its kernels are compiled."""
        return False

    def environment(self, device: str) -> dict[str, str]:
        """Torch puts ccache before the compiler where it finds it; a shared cache is no build."""
        return {"CCACHE_DISABLE": "1"}
