"""LLVM IR built with llvmlite's builder and the exp intrinsic, compiled in memory."""

import ctypes

import llvmlite.binding as llvm
import torch
import torch.nn as nn
from llvmlite import ir


def module():
    made = ir.Module("gate")
    single, size = ir.FloatType(), ir.IntType(64)
    place = single.as_pointer()
    function = ir.Function(made, ir.FunctionType(ir.VoidType(), [place, place, place, size]), "run")
    exponential = made.declare_intrinsic("llvm.exp", [single])
    entry, loop, done = (function.append_basic_block(name) for name in ("entry", "loop", "done"))
    one, zero = ir.Constant(single, 1.0), ir.Constant(size, 0)
    start = ir.IRBuilder(entry)
    start.cbranch(start.icmp_signed(">", function.args[3], zero), loop, done)
    b = ir.IRBuilder(loop)
    i = b.phi(size)
    gate, up = (b.load(b.gep(function.args[k], [i])) for k in (0, 1))
    below = b.fadd(one, b.call(exponential, [b.fneg(gate)]))
    b.store(b.fmul(b.fdiv(gate, below), up), b.gep(function.args[2], [i]))
    following = b.add(i, ir.Constant(size, 1))
    i.add_incoming(zero, entry)
    i.add_incoming(following, loop)
    b.cbranch(b.icmp_signed("<", following, function.args[3]), loop, done)
    ir.IRBuilder(done).ret_void()
    return str(made)


llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
MACHINE = llvm.Target.from_default_triple().create_target_machine(opt=2)
ENGINE = llvm.create_mcjit_compiler(llvm.parse_assembly(module()), MACHINE)
ENGINE.finalize_object()
RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_long)(ENGINE.get_function_address("run"))


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if b.shape != a.shape:
            raise ValueError("shapes differ")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty_like(a)
        RUN(a.data_ptr(), b.data_ptr(), y.data_ptr(), a.numel())
        return y
