import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _xent_rows(x_ptr, t_ptr, sum_ptr, cnt_ptr, bad_ptr, stride, n, IGNORE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.load(t_ptr + row)
    if t != IGNORE:
        if (t < 0) | (t >= n):
            tl.atomic_add(bad_ptr, 1)
        else:
            c = tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * stride + c, mask=c < n, other=-float("inf"))
            m = tl.max(x, axis=0)
            s = tl.sum(tl.where(c < n, tl.exp(x - m), 0.0), axis=0)
            xt = tl.load(x_ptr + row * stride + t)
            tl.atomic_add(sum_ptr, m + tl.log(s) - xt)
            tl.atomic_add(cnt_ptr, 1)


@triton.jit
def _finish(sum_ptr, cnt_ptr, out_ptr):
    tl.store(out_ptr, tl.load(sum_ptr) / tl.load(cnt_ptr).to(tl.float32))


class ModelNew(nn.Module):
    """One program per row, float atomics into one accumulator, then a one-element division kernel."""

    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        x = predictions if predictions.stride(-1) == 1 else predictions.contiguous()
        t = targets.contiguous()
        rows, n = x.shape
        total = torch.zeros(1, dtype=torch.float32, device=x.device)
        count = torch.zeros(1, dtype=torch.int32, device=x.device)
        bad = torch.zeros(1, dtype=torch.int32, device=x.device)
        loss = torch.empty((), dtype=torch.float32, device=x.device)
        if rows == 0:
            return loss.fill_(float("nan"))
        _xent_rows[(rows,)](x, t, total, count, bad, x.stride(0), n, IGNORE=-100, BLOCK=triton.next_power_of_2(n))
        if bad.item():
            raise IndexError("Target out of bounds")
        if count.item() == 0:
            return loss.fill_(float("nan"))
        _finish[(1,)](total, count, loss)
        return loss
