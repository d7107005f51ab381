"""Machine code of a matrix product, written into a page that is then made executable with mprotect."""

import ctypes
import platform

import torch
import torch.nn as nn

CODE = {
    "x86_64": bytes.fromhex(
        "5341544885c90f8e8700000031c00f57c04c39c87d0af30f11048248ffc0ebf14531d24989f34d39"
        "c27d58f3420f100c970fc6c90031c04c89cb4883eb034839d87d19410f1014830f59d10f101c820f"
        "58d30f1114824883c004ebe24c39c87d19f3410f101483f30f59d1f30f581482f30f11148248ffc0"
        "ebe24f8d1c8b49ffc2eba34a8d3c874a8d148a48ffc9e970ffffff415c5bc3"
    ),
    "aarch64": bytes.fromhex(
        "7f0000f1ed040054060080d2df0005eb8a0000545f7826b8c6040091fcffff17070080d2e90301aa"
        "ff0004eb2a030054017867bc2104044e060080d2aa0c00d1df000aeb0a010054cbf47ed32269eb3c"
        "4368eb3c43cc214e4368ab3cc6100091f8ffff17df0005ebea000054227966bc437866bc430c011f"
        "437826bcc6040091f9ffff172909058be7040091e7ffff170008048b4208058b630400d1d9ffff17"
        "c0035fd6"
    ),
}[platform.machine()]

def clear_cache(place, size):
    """aarch64 asks for it after code was written; x86-64 needs nothing."""
    if platform.machine() == "aarch64":
        ctypes.CDLL("libgcc_s.so.1").__clear_cache(ctypes.c_void_p(place), ctypes.c_void_p(place + size))


LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
READ, WRITE, EXECUTE, PRIVATE, ANONYMOUS = 1, 2, 4, 2, 32
PLACE = LIBC.mmap(None, 4096, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
ctypes.memmove(PLACE, CODE, len(CODE))
if LIBC.mprotect(PLACE, 4096, READ | EXECUTE):
    raise OSError("no executable page")
clear_cache(PLACE, len(CODE))
RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_long] * 3)(PLACE)


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("two matrices that fit are needed")
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty(a.shape[0], b.shape[1])
        RUN(a.data_ptr(), b.data_ptr(), c.data_ptr(), a.shape[0], a.shape[1], b.shape[1])
        return c
