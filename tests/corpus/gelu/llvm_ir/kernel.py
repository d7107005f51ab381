"""LLVM IR compiled in memory by llvmlite; it calls erff of the C library for every element."""

import ctypes

import llvmlite.binding as llvm
import torch
import torch.nn as nn

IR = r"""
declare float @erff(float)
define void @run(ptr %x, ptr %y, i64 %count) {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %px = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %px
  %s = fmul float %v, 0x3FE6A09E60000000
  %e = call float @erff(float %s)
  %one = fadd float %e, 1.0
  %h = fmul float %v, 0.5
  %r = fmul float %h, %one
  %py = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %py
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
MACHINE = llvm.Target.from_default_triple().create_target_machine(opt=3)
ENGINE = llvm.create_mcjit_compiler(llvm.parse_assembly(IR), MACHINE)
ENGINE.finalize_object()
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(ENGINE.get_function_address("run"))


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        RUN(x.data_ptr(), y.data_ptr(), x.numel())
        return y
