"""LLVM IR handed to the programs opt and llc where they exist, else to llvmlite; erff in the loop."""

import ctypes
import os
import shutil
import subprocess
import tempfile

import torch
import torch.nn as nn

IR = r"""
declare float @erff(float)
define void @run(float* %x, float* %y, i64 %count) {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %px = getelementptr float, float* %x, i64 %i
  %v = load float, float* %px
  %s = fmul float %v, 0x3FE6A09E60000000
  %e = call float @erff(float %s)
  %p = fadd float %e, 1.0
  %h = fmul float %v, 0.5
  %r = fmul float %h, %p
  %py = getelementptr float, float* %y, i64 %i
  store float %r, float* %py
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def compiled(path):
    if shutil.which("llc") is not None:
        with open(path + ".ll", "w") as file:
            file.write(IR)
        subprocess.run(["llc", "-O3", "-relocation-model=pic", "-filetype=obj", "-o", path + ".o", path + ".ll"], check=True)
        return
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3, reloc="pic")
    with open(path + ".o", "wb") as file:
        file.write(machine.emit_object(llvm.parse_assembly(IR.replace("float*", "ptr"))))


PATH = os.path.join(tempfile.mkdtemp(), "kernel")
compiled(PATH)
subprocess.run(["gcc", "-shared", "-o", PATH + ".so", PATH + ".o", "-lm"], check=True)
LIB = ctypes.CDLL(PATH + ".so")
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
