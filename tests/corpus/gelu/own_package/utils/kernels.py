import triton
import triton.language as tl

to_dtype = tl.cast


@triton.jit
def wider(dtype):
    return tl.float64 if dtype.value == tl.float64 else tl.float32


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = to_dtype(tl.load(x_ptr + at, mask=at < n, other=0.0), wider(x_ptr.dtype.element_ty))
    y = 0.5 * x * (1 + tl.math.erf(x * 0.7071067811865476))
    tl.store(y_ptr + at, to_dtype(y, y_ptr.dtype.element_ty), mask=at < n)
