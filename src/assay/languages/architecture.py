"""Architecture: a chip that compilers can be asked for by name, whether or not one is here."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.errors import UsageError

NVIDIA = "sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_103a sm_120 sm_120a".split()
AMD = "gfx90a gfx942 gfx950 gfx1100".split()
_CAPABILITY = re.compile(r"sm_(\d+)")


@dataclass(frozen=True, slots=True)
class Architecture:
    """One of the names above."""

    name: str

    @property
    def amd(self) -> bool:
        """One of AMD's."""
        return self.name in AMD

    @property
    def code_generation(self) -> str:
        """What nvcc's -gencode takes."""
        return f"arch={self.name.replace('sm_', 'compute_')},code={self.name}"

    @property
    def triton_target(self) -> tuple[str, int | str, int]:
        """Backend, architecture and threads of a warp, as Triton names them."""
        found = _CAPABILITY.match(self.name)
        if found is not None:
            return "cuda", int(found.group(1)), 32
        return "hip", self.name, 64 if self.name.startswith("gfx9") else 32


def device_architecture(reported: str) -> Architecture | None:
    """What compilers make for a device that calls its chip so: with all its features.

    None for a chip that is not among the names above: a CPU's, for instance.
    """
    name = reported.partition(":")[0]  # AMD adds features after a colon
    for known in (f"{name}a", name):
        if known in (*NVIDIA, *AMD):
            return Architecture(known)
    return None


def architecture(name: str) -> Architecture:
    """The architecture of a name."""
    if name not in (*NVIDIA, *AMD):
        raise UsageError(f"unknown architecture {name!r}; known: {', '.join((*NVIDIA, *AMD))}")
    return Architecture(name)
