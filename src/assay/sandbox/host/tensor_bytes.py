"""Tensor bytes: how a tensor's storage becomes bytes of an arena, and back."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import numpy.typing as npt
import torch

_COMPARED_BYTES = 1 << 30  # at a time: what differs is a mask of as many bytes
_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def span(tensor: torch.Tensor) -> int:
    """Elements from the first to the last one the tensor can reach in its storage."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


def span_bytes(tensor: torch.Tensor) -> npt.NDArray[np.uint8]:
    """The bytes of that span of a host tensor, gaps included, without copying."""
    return span_tensor(tensor).numpy()


def span_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of that span, gaps included, without copying, where the tensor lies."""
    flat = tensor.detach().as_strided((span(tensor),), (1,))
    if flat.numel() == 0:
        return torch.zeros(0, dtype=torch.uint8, device=tensor.device)
    plain = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
    return plain.view(torch.uint8)


def on_device(tensor: torch.Tensor) -> bool:
    """Whether it lies in the memory of a device, out of NumPy's reach."""
    return tensor.device.type != "cpu"


def same_bytes(left: npt.NDArray[np.uint8], right: npt.NDArray[np.uint8]) -> bool:
    """Equality by memcmp: comparing element by element costs ten times as much."""
    if left.nbytes != right.nbytes:
        return False
    return int(_memcmp(left.ctypes.data, right.ctypes.data, left.nbytes)) == 0


def from_bytes(data: npt.NDArray[np.uint8], dtype: str, shape: tuple[int, ...]) -> torch.Tensor:
    """A contiguous tensor over the bytes themselves."""
    kind = getattr(torch, dtype)
    if math.prod(shape) == 0:
        return torch.empty(shape, dtype=kind)
    return torch.from_numpy(data).view(kind).view(shape)


def equal_on_device(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two runs of bytes of a device are equal; compared a part at a time."""
    pairs = zip(left.split(_COMPARED_BYTES), right.split(_COMPARED_BYTES), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


def dtype_name(tensor: torch.Tensor) -> str:
    """The dtype as the protocol spells it."""
    return str(tensor.dtype).removeprefix("torch.")
