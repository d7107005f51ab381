"""torch.export and AOTInductor at import; the packaged model is loaded and called."""

import os

import torch
import torch.nn as nn


class Expression(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.erf(x * 0.70710678118654752))


def build():
    size = torch.export.Dim("size", min=2, max=1 << 28)
    program = torch.export.export(Expression(), (torch.empty(4096),), dynamic_shapes=({0: size},))
    path = os.path.join(os.path.dirname(__file__), "mine.pt2")
    torch._inductor.aoti_compile_and_package(program, package_path=path)
    return torch._inductor.aoti_load_package(path)


KERNEL = build()


class ModelNew(nn.Module):
    def forward(self, x):
        if x.numel() < 2:
            raise ValueError("at least two elements")
        return KERNEL(x.contiguous().view(-1)).view(x.shape)
