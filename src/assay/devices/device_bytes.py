"""DeviceBytes: bytes at an address of a device, in the form in which libraries exchange memory.

The rule: it owns nothing. Whoever makes a tensor over it keeps the memory for as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch is not imported before it is asked for
    import torch


class DeviceBytes:
    """A pointer and a count."""

    def __init__(self, pointer: int, nbytes: int) -> None:
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, False),
            "strides": None,
            "version": 3,
        }


def bytes_at(pointer: int, nbytes: int, device: str = "cuda") -> torch.Tensor:
    """A tensor of bytes over the memory itself."""
    import torch

    return torch.as_tensor(DeviceBytes(pointer, nbytes), device=device)
