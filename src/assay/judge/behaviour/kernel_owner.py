"""Whose kernel is it? Told by the name under which the device ran it.

The rule: machine code that a library's own function has is the library's, whatever it is called; so
is a name of a library's, whatever the source says. Any other is the candidate's where its source
defines it, and the library's where it does not. Code that the candidate compiles from headers (CUB,
CUTLASS) is its own: its source includes them. It compiles them for the device at hand: CUB's names
say for which ones, and whoever was compiled for more than two was compiled elsewhere.
"""

from __future__ import annotations

import re
from enum import StrEnum

from assay.judge.behaviour.own_names import OwnNames


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
    r"\bcusparse|\bcufft|\bcurand|\bgemmk1_|\bgemv|splitKreduce|"
    r"\bEPT<\d+u>|\b[ds]p(?:Radix|Vector|RealComplex)\w*::kernel|\bcublasLt|\bcusolver|\bnvjpeg|"
    r"\bncclDevKernel|\bcudss|\bnpp[is]|\bcutensor|\bgenerate_seed_pseudo|\bgen_sequenced|"
    r"\bflash_(?:fwd|bwd)|pytorch_flash|\bfmha|\btriton_(?:poi|per|red|tem|mm)_|^cupy_"
)
# Libraries of templates: names of what they make, by the folder of the headers.
_HEADERS = {
    "cub": re.compile(r"(?<!::)\b(?:cub|thrust)::"),
    "thrust": re.compile(r"(?<!::)\b(?:cub|thrust)::"),
    "cutlass": re.compile(r"(?<!::)\b(?:cutlass|cute)::(?!Kernel2<cutlass_)"),
    "cute": re.compile(r"(?<!::)\b(?:cutlass|cute)::(?!Kernel2<cutlass_)"),
}
_SHIPPED = re.compile(r"\b(?:CUB|THRUST)_\d+_SM(?:_\d+){3}")


def owner(kernel: str, own_names: OwnNames, library_code: str = "") -> KernelOwner:
    """Whose a kernel of that name is; `library_code` names a library's function of the same code.

    A name of movement counts only where the code is not known to be another function's. What a
    library itself compiled from CUB may be, byte for byte, what a candidate compiles.
    """
    if _MOVEMENT.search(kernel) and (not library_code or _MOVEMENT.search(library_code)):
        return KernelOwner.MOVEMENT
    from_headers = _is_from_headers(kernel, own_names)
    if library_code and not (from_headers and "cub" in library_code):
        return KernelOwner.LIBRARY
    if from_headers:
        return KernelOwner.OWN
    if _LIBRARY.search(kernel):
        return KernelOwner.LIBRARY
    return KernelOwner.OWN if own_names.have(kernel) else KernelOwner.LIBRARY


def is_renamed(kernel: str, own_names: OwnNames, library_code: str) -> bool:
    """Whether a library's code goes by a name that no library gave it."""
    by_name = owner(kernel, own_names)
    moves = by_name is KernelOwner.MOVEMENT and not _LIBRARY.search(kernel)
    return bool(library_code) and (by_name is KernelOwner.OWN or moves)


def _is_from_headers(kernel: str, own_names: OwnNames) -> bool:
    """A template of headers that the source includes; within a library's namespace it is not."""
    name = kernel.removeprefix("void ")
    if _SHIPPED.search(kernel):
        return False
    return any(one in own_names.headers and _HEADERS[one].match(name) for one in _HEADERS)
