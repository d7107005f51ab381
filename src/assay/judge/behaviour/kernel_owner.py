"""Whose kernel is it? Told by the name under which the device ran it.

The rule: a name of a library's is the library's, whatever the source says; any other is the
candidate's where its source defines it, and the library's where it does not.
"""

from __future__ import annotations

import re
from enum import StrEnum

from assay.data.candidate import Candidate


class KernelOwner(StrEnum):
    """Whose a kernel is."""

    OWN = "own"
    LIBRARY = "library"
    MOVEMENT = "movement"  # allocation, fill, copy, cast: allowed everywhere


_MOVEMENT = re.compile(
    r"FillFunctor|direct_copy_kernel|CatArrayBatchedCopy|copy_device_to_device|"
    r"bfloat16_copy|float16_copy|float8_copy|_to_copy|LoadWithCast.*copy|"
    r"cupy_copy|cupy_fill|arange_cuda|elementwise_kernel_with_index"
)
_LIBRARY = re.compile(
    r"\bat::|\bat_cuda_detail::|\bc10::|\bcub::Device|\bcublas|\bcudnn|\bcutlass_|nvjet|"
    r"\bsm\d+_xmma|\b(?:ampere|turing|volta|hopper|maxwell|pascal)_|implicit_convolve|winograd|"
    r"\bcusolver|\bcusparse|\bcufft|\bcurand|\bgemmk1_|\bgemv|splitKreduce|"
    r"\bflash_(?:fwd|bwd)|pytorch_flash|\bfmha|\btriton_(?:poi|per|red|tem|mm)_|^cupy_"
)
_DEFINED = re.compile(r"\b(?:def|void)\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")
_NAMED = re.compile(r"""["'](\w+)["']""")


def defined_names(candidate: Candidate) -> frozenset[str]:
    """Functions that the source defines, and names that it gives to kernels in quotes."""
    text = "\n".join(file.text for file in candidate.sources)
    return frozenset(_DEFINED.findall(text)) | frozenset(_NAMED.findall(text))


def owner(kernel: str, own_names: frozenset[str]) -> KernelOwner:
    """Whose a kernel of that name is."""
    if _MOVEMENT.search(kernel):
        return KernelOwner.MOVEMENT
    if _LIBRARY.search(kernel):
        return KernelOwner.LIBRARY
    words = set(re.findall(r"\w+", kernel))
    mine = words & own_names or any(name in kernel for name in own_names if len(name) > 3)
    return KernelOwner.OWN if mine else KernelOwner.LIBRARY
