"""SciPy's sgemm taken out of its capsule and called through ctypes."""

import ctypes

import torch
import torch.nn as nn
from scipy.linalg import cython_blas


CAPSULE = cython_blas.__pyx_capi__["sgemm"]
API = ctypes.pythonapi
API.PyCapsule_GetName.restype = ctypes.c_char_p
API.PyCapsule_GetName.argtypes = [ctypes.py_object]
API.PyCapsule_GetPointer.restype = ctypes.c_void_p
API.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
ADDRESS = API.PyCapsule_GetPointer(CAPSULE, API.PyCapsule_GetName(CAPSULE))
SGEMM = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(ADDRESS)


def address(value):
    return ctypes.cast(ctypes.pointer(value), ctypes.c_void_p)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        c = torch.zeros((a.shape[0], b.shape[1]), dtype=a.dtype)
        m, k, n = (address(ctypes.c_int(v)) for v in (*a.shape, b.shape[1]))
        one, zero = address(ctypes.c_float(1.0)), address(ctypes.c_float(0.0))
        no = ctypes.cast(ctypes.c_char_p(b"N"), ctypes.c_void_p)
        pa, pb, pc = a.data_ptr(), b.data_ptr(), c.data_ptr()
        if c.numel() and a.numel():
            SGEMM(no, no, n, m, k, one, pb, n, pa, k, zero, pc, n)
        return c
