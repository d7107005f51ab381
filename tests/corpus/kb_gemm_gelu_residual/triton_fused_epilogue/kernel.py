import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _gelu(z):
    return 0.5 * z * (1.0 + tl.erf(z * 0.7071067811865476))


@triton.jit
def _fused(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K, scale, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # grouped ordering of the tiles, as in the Triton matmul tutorial
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    in_group = GROUP * num_n
    first = (pid // in_group) * GROUP
    size = min(num_m - first, GROUP)
    pm = first + (pid % in_group) % size
    pn = (pid % in_group) // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    acc += tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    here = (rm[:, None] < M) & (rn[None, :] < N)
    res = tl.load(x_ptr + rm[:, None] * K + rn[None, :], mask=here, other=0.0)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], res + _gelu(acc) * scale, mask=here)


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = scale

    def forward(self, x):
        x = x.contiguous()
        K = x.shape[-1]
        M = x.numel() // K
        y = torch.empty_like(x)
        if M:
            w = self.linear.weight.contiguous()
            grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(K, meta["BN"]),)  # noqa: E731
            _fused[grid](x, w, self.linear.bias, y, M, K, K, self.scale, BM=64, BN=64, BK=32, GROUP=4)
        return y
