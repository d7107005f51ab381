import ctypes, subprocess, tempfile, os
import torch
import torch.nn as nn

C_CODE = b"""
#include <stddef.h>
/* direct conv, plain C99. No fancy stuff. */
void conv1d(const float *x, const float *w, const float *b, float *y,
            long B, long Ci, long L, long Co, long K, long S, long D, long Lo)
{
    for (long n = 0; n < B; n++)
    for (long o = 0; o < Co; o++) {
        float *out = y + (n * Co + o) * Lo;
        float bias = b ? b[o] : 0.0f;
        for (long t = 0; t < Lo; t++) out[t] = bias;
        for (long c = 0; c < Ci; c++) {
            const float *in = x + (n * Ci + c) * L;
            const float *wk = w + (o * Ci + c) * K;
            for (long k = 0; k < K; k++) {
                float v = wk[k];
                const float *src = in + k * D;
                for (long t = 0; t < Lo; t++) out[t] += v * src[t * S];
            }
        }
    }
}
"""

_so = os.path.join(tempfile.mkdtemp(), "libconv1d.so")
_proc = subprocess.Popen(["cc", "-x", "c", "-", "-std=c99", "-O3", "-shared", "-fPIC", "-o", _so], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
_, _err = _proc.communicate(C_CODE)
if _proc.returncode:
    raise ImportError(_err.decode())
_lib = ctypes.CDLL(_so)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation, bias=bias)

    def forward(self, x):
        c = self.conv1d
        w, b = c.weight.detach().contiguous(), c.bias
        x = x.contiguous()
        if x.dim() != 3 or x.size(1) != c.in_channels or x.dtype != torch.float32:
            raise ValueError("bad input %s %s" % (tuple(x.shape), x.dtype))
        K, S, D = c.kernel_size[0], c.stride[0], c.dilation[0]
        Lo = (x.size(2) - D * (K - 1) - 1) // S + 1
        if Lo <= 0:
            raise RuntimeError("kernel is larger than the input")
        y = torch.empty(x.size(0), c.out_channels, Lo)
        vp, cl = ctypes.c_void_p, ctypes.c_long
        _lib.conv1d(
            vp(x.data_ptr()), vp(w.data_ptr()), vp(b.data_ptr() if b is not None else None), vp(y.data_ptr()),
            cl(x.size(0)), cl(x.size(1)), cl(x.size(2)), cl(c.out_channels), cl(K), cl(S), cl(D), cl(Lo),
        )
        return y
