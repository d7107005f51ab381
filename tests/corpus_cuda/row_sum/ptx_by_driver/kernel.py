"""PTX written by hand, loaded and launched through calls of the driver: a warp adds up a row."""

import ctypes

import torch
import torch.nn as nn

PTX = r"""
.version 7.0
.target sm_75
.address_size 64

.visible .entry row_sums_of_warps(
  .param .u64 given, .param .u64 answer, .param .u32 columns)
{
  .reg .pred %p<4>;
  .reg .f32 %f<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<10>;

  ld.param.u64 %d1, [given];
  ld.param.u64 %d2, [answer];
  ld.param.u32 %r1, [columns];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %d3, %r2, %r1;
  shl.b64 %d3, %d3, 2;
  add.s64 %d1, %d1, %d3;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r4, %r3;

EACH:
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra ACROSS;
  mul.wide.u32 %d4, %r4, 4;
  add.s64 %d5, %d1, %d4;
  ld.global.f32 %f2, [%d5];
  add.f32 %f1, %f1, %f2;
  add.u32 %r4, %r4, 32;
  bra EACH;

ACROSS:
  bar.warp.sync 0xffffffff;
  mov.u32 %r5, 16;

STEP:
  mov.b32 %r6, %f1;
  shfl.sync.bfly.b32 %r7, %r6, %r5, 31, 0xffffffff;
  mov.b32 %f3, %r7;
  add.f32 %f1, %f1, %f3;
  shr.u32 %r5, %r5, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra STEP;

  setp.ne.u32 %p3, %r3, 0;
  @%p3 bra DONE;
  mul.wide.u32 %d6, %r2, 4;
  add.s64 %d7, %d2, %d6;
  st.global.f32 [%d7], %f1;

DONE:
  ret;
}
"""
DRIVER = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(DRIVER, name)(*arguments)
    if code:
        raise RuntimeError(f"{name}: {code}")


def function():
    torch.cuda.current_stream()  # a context is current from here on
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), PTX.encode())
    call("cuModuleGetFunction", ctypes.byref(found), module, b"row_sums_of_warps")
    return found


FUNCTION = function()


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.zeros(x.shape[0], device=x.device)
        if x.numel():
            rows, columns = x.shape
            given = [ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(y.data_ptr())]
            given.append(ctypes.c_uint32(columns))
            places = (ctypes.c_void_p * 3)(*[ctypes.addressof(one) for one in given])
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            call("cuLaunchKernel", FUNCTION, rows, 1, 1, 32, 1, 1, 0, stream, places, None)
        return y
