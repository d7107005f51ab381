"""A file in assembler, put through the preprocessor for x86-64 and aarch64, linked to a library."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
.text
.globl run
.type run, %function
run:
#if defined(__x86_64__)
1: test %rdx,%rdx
 jle 9f
 movss (%rdi),%xmm0
 mov %rcx,%rax
2: movss (%rdi),%xmm1
 ucomiss %xmm0,%xmm0
 jp 4f
 ucomiss %xmm1,%xmm1
 jp 3f
 ucomiss %xmm1,%xmm0
 jbe 4f
3: movaps %xmm1,%xmm0
4: add $4,%rdi
 dec %rax
 jnz 2b
 movss %xmm0,(%rsi)
 add $4,%rsi
 dec %rdx
 jmp 1b
9: ret
#else
1: cmp x2,#0
 b.le 9f
 ldr s0,[x0]
 mov x4,x3
2: ldr s1,[x0],#4
 fmin s0,s0,s1
 subs x4,x4,#1
 b.ne 2b
 str s0,[x1],#4
 sub x2,x2,#1
 b 1b
9: ret
#endif
.size run, .-run
.section .note.GNU-stack, "", %progbits
"""

PATH = os.path.join(tempfile.mkdtemp(), "kernel.S")
with open(PATH, "w") as file:
    file.write(SOURCE)
subprocess.run(["gcc", "-shared", "-fPIC", "-o", PATH + ".so", PATH], check=True)
LIB = ctypes.CDLL(PATH + ".so")
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


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
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
