"""Machine code written by hand for two architectures, in a writable and executable page."""

import ctypes
import platform
import mmap

import torch
import torch.nn as nn

CODE = {
    "x86_64": bytes.fromhex(
        "4885d27e4f0f57c04889c84883f8047c100f100f0f58c14883c7104883e804ebea0f28c80f12c80f"
        "58c10f28c80fc6c955f30f58c14885c0740df30f58074883c70448ffc8ebeef30f11064883c60448"
        "ffcaebacc3"
    ),
    "aarch64": bytes.fromhex(
        "5f0000f16d0200540004004fe40303aa9f1000f1ab0000540104c13c00d4214e841000d1fbffff17"
        "00d4206e00d8307ea40000b4014440bc0028211e840400d1fcffff17204400bc420400d1edffff17"
        "c0035fd6"
    ),
}[platform.machine()]

def clear_cache(place, size):
    """aarch64 asks for it after code was written; x86-64 needs nothing."""
    if platform.machine() == "aarch64":
        ctypes.CDLL("libgcc_s.so.1").__clear_cache(ctypes.c_void_p(place), ctypes.c_void_p(place + size))


PAGE = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
PAGE.write(CODE)
PLACE = ctypes.addressof(ctypes.c_char.from_buffer(PAGE))
clear_cache(PLACE, len(CODE))
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long)(PLACE)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        RUN(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
