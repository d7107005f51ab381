import torch
import torch.nn as nn
from numba import float32, int64, njit, void

_sig = void(float32[:, :, :, ::1], float32[:, :, ::1], float32[::1], float32[:, :, :, ::1], int64, int64, int64, int64)


@njit(_sig, fastmath=False)  # compiled eagerly, at import
def _dw(x, w, b, y, sh, sw, ph, pw):
    N, C, H, W = x.shape
    KH, KW = w.shape[1], w.shape[2]
    OH, OW = y.shape[2], y.shape[3]
    for n in range(N):
        for c in range(C):
            for oh in range(OH):
                for ow in range(OW):
                    y[n, c, oh, ow] = b[c]
                for i in range(KH):
                    h = oh * sh + i - ph
                    if h < 0 or h >= H:
                        continue
                    for j in range(KW):
                        s = w[c, i, j]
                        for ow in range(OW):
                            v = ow * sw + j - pw
                            if v >= 0 and v < W:
                                y[n, c, oh, ow] += s * x[n, c, h, v]


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_h, kernel_w, stride=1, padding=0, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(
            channels, channels, (kernel_h, kernel_w), stride=stride, padding=padding, groups=channels, bias=bias
        )
        # no-bias layers still need something to point at; not saved with the model
        self.register_buffer("_no_bias", torch.zeros(channels), persistent=False)

    def forward(self, x):
        m = self.conv2d
        KH, KW = m.kernel_size
        SH, SW = m.stride
        PH, PW = m.padding
        OH = (x.shape[2] + 2 * PH - KH) // SH + 1
        OW = (x.shape[3] + 2 * PW - KW) // SW + 1
        if OH <= 0 or OW <= 0 or x.shape[1] != m.in_channels:
            raise RuntimeError("bad geometry")
        y = torch.empty(x.shape[0], x.shape[1], OH, OW)
        b = self._no_bias if m.bias is None else m.bias
        w = m.weight.detach().contiguous()[:, 0]
        _dw(x.detach().contiguous().numpy(), w.numpy(), b.detach().contiguous().numpy(), y.numpy(), SH, SW, PH, PW)
        return y
