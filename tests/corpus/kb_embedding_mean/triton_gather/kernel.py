import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _bag(tok_ptr, w_ptr, out_ptr, bad_ptr, S, V, D, scale, BLOCK_S: tl.constexpr, BLOCK_D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, BLOCK_D)
    acc = tl.zeros((BLOCK_D,), dtype=tl.float32)
    for s0 in range(0, S, BLOCK_S):
        s = s0 + tl.arange(0, BLOCK_S)
        t = tl.load(tok_ptr + b * S + s, mask=s < S, other=0).to(tl.int64)
        fine = (t >= 0) & (t < V)
        tl.atomic_max(bad_ptr, tl.max(tl.where(fine, 0, 1), axis=0))
        use = ((s < S) & fine)[:, None] & (d[None, :] < D)
        acc += tl.sum(tl.load(w_ptr + t[:, None] * D + d[None, :], mask=use, other=0.0), axis=0)
    tl.store(out_ptr + b * D + d, acc / S * scale, mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, scale):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.scale = scale

    def forward(self, tokens):
        tokens = tokens.contiguous()
        w = self.emb.weight.contiguous()
        B, S = tokens.shape
        V, D = w.shape
        out = torch.empty(B, D, dtype=w.dtype, device=w.device)
        if S == 0:
            return out.fill_(float("nan"))  # a mean of nothing
        if out.numel():
            bad = torch.zeros(1, dtype=torch.int32, device=w.device)
            width = triton.next_power_of_2(D)
            height = max(1, min(32, (1 << 15) // width))
            _bag[(B,)](tokens, w, out, bad, S, V, D, self.scale, BLOCK_S=height, BLOCK_D=width)
            if int(bad):
                raise IndexError("index out of range")
        return out
