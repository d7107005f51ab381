"""Honest candidates written as public libraries of kernels write theirs."""

PUBLIC_HEAD = """
import torch, triton, triton.language as tl
import torch.nn as nn

@triton.jit
def _partial(x, z, D, parts, B: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    i = part * B + tl.arange(0, B)
    v = tl.load(x + row * D + i, mask=i < D, other=-float("inf"))
    m = tl.max(v, 0)
    tl.store(z + row * parts + part, tl.log(tl.sum(tl.exp(v - m), 0)) + m)
"""

PUBLIC: dict[str, str] = {
    "logsumexp_joins_parts": PUBLIC_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        parts = triton.cdiv(x.shape[1], 1024)
        z = x.new_empty(x.shape[0], parts, dtype=torch.float)
        _partial[(x.shape[0], parts)](x, z, x.shape[1], parts, B=1024)
        return z.logsumexp(-1).to(x.dtype)
""",
    "logsumexp_joins_parts_where_there_are_several": PUBLIC_HEAD
    + """
class _LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        parts = (x.shape[1] + 65535) // 65536
        z = torch.empty(x.shape[0], parts)
        _partial[(x.shape[0], parts)](x, z, x.shape[1], parts, B=65536)
        z = torch.logsumexp(z, dim=1) if parts > 1 else z[:, 0]
        ctx.save_for_backward(x, z)
        return z

class ModelNew(nn.Module):
    def forward(self, x):
        return _LogSumExp.apply(x)
""",
    "ignored_rows_are_cleared": PUBLIC_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x, labels):
        parts = (x.shape[1] + 65535) // 65536
        z = torch.empty(x.shape[0], parts)
        _partial[(x.shape[0], parts)](x, z, x.shape[1], parts, B=65536)
        if parts > 1:
            z = torch.logsumexp(z, dim=1)
            z.masked_fill_(labels == -100, 0.0)
        return z.reshape(-1)
""",
}
