"""A CUDA graph of two own kernels on buffers of its own: inputs are copied in, the answer is copied out."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tops_and_sums(x_ptr, tops_ptr, sums_ptr, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=-float("inf"))
    top = tl.max(x, axis=0)
    tl.store(tops_ptr + row, top)
    tl.store(sums_ptr + row, tl.sum(tl.exp(x - top), axis=0))


@triton.jit
def normalised(x_ptr, tops_ptr, sums_ptr, y_ptr, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    y = tl.exp(x - tl.load(tops_ptr + row)) / tl.load(sums_ptr + row)
    tl.store(y_ptr + row * columns + column, y, mask=column < columns)


def both(x, tops, sums, y):
    rows, columns = x.shape
    width = triton.next_power_of_2(columns)
    tops_and_sums[(rows,)](x, tops, sums, columns, WIDTH=width, num_warps=8)
    normalised[(rows,)](x, tops, sums, y, columns, WIDTH=width, num_warps=8)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.graphs = {}
        self.kept = []

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if not x.numel():
            return torch.empty_like(x)
        if x.shape not in self.graphs:
            self.graphs[x.shape] = self.captured(x)
        graph, given, answer = self.graphs[x.shape]
        given.copy_(x)
        graph.replay()
        return answer.clone()

    def captured(self, x):
        given = torch.empty(x.shape, device=x.device)
        tops, sums = (torch.empty(x.shape[0], device=x.device) for _ in range(2))
        answer = torch.empty_like(given)
        both(given, tops, sums, answer)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            both(given, tops, sums, answer)
        self.kept = [*self.kept, tops, sums]  # the graph knows their addresses only
        return graph, given, answer
