"""Machine code for the last dimension; a compiled loop for the others."""

import ctypes
import platform
import mmap

import torch
import torch.nn as nn

CODE = {
    "x86_64": bytes.fromhex(
        "4885d27e33f30f10074889c8f30f100f0f2ec07a0d0f2ec97a050f2ec176030f28c14883c70448ff"
        "c875e1f30f11064883c60448ffcaebc8c3"
    ),
    "aarch64": bytes.fromhex(
        "5f0000f14d010054000040bde40303aa014440bc0058211e840400f1a1ffff54204400bc420400d1"
        "f6ffff17c0035fd6"
    ),
}[platform.machine()]

def clear_cache(place, size):
    """aarch64 asks for it after code was written; x86-64 needs nothing."""
    if platform.machine() == "aarch64":
        ctypes.CDLL("libgcc_s.so.1").__clear_cache(ctypes.c_void_p(place), ctypes.c_void_p(place + size))


PAGE = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
PAGE[: len(CODE)] = CODE
PLACE = ctypes.addressof(ctypes.c_char.from_buffer(PAGE))
clear_cache(PLACE, len(CODE))
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long)(PLACE)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.movedim(self.dim, -1).contiguous()
        if x.shape[-1] == 0:
            raise IndexError("the minimum of nothing")
        y = torch.empty(x.shape[:-1])
        RUN(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
