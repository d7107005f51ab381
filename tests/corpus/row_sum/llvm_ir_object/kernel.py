"""LLVM IR made an object file by llvmlite and linked to a shared library by the C compiler."""

import ctypes
import os
import subprocess
import tempfile

import llvmlite.binding as llvm
import torch
import torch.nn as nn

IR = r"""
define void @run(ptr %x, ptr %y, i64 %rows, i64 %n) {
entry:
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %row, label %done
row:
  %r = phi i64 [0, %entry], [%r1, %store]
  %start = mul i64 %r, %n
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %add, label %store
add:
  %i = phi i64 [0, %row], [%i1, %add]
  %s = phi double [0.0, %row], [%s1, %add]
  %k = add i64 %start, %i
  %p = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %p
  %w = fpext float %v to double
  %s1 = fadd double %s, %w
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %add, label %store
store:
  %t = phi double [0.0, %row], [%s1, %add]
  %f = fptrunc double %t to float
  %q = getelementptr float, ptr %y, i64 %r
  store float %f, ptr %q
  %r1 = add i64 %r, 1
  %again = icmp slt i64 %r1, %rows
  br i1 %again, label %row, label %done
done:
  ret void
}
"""

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
MACHINE = llvm.Target.from_default_triple().create_target_machine(opt=3, reloc="pic")
PATH = os.path.join(tempfile.mkdtemp(), "kernel.o")
with open(PATH, "wb") as file:
    file.write(MACHINE.emit_object(llvm.parse_assembly(IR)))
subprocess.run(["gcc", "-shared", "-o", PATH + ".so", PATH], check=True)
LIB = ctypes.CDLL(PATH + ".so")
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[:-1])
        LIB.run(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
