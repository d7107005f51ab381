"""Linear layer on eight-bit codes: integer weights, activations quantised on the fly."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 2048, "role": "batch"},
    "in_features": {"low": 1, "high": 4096, "role": "config"},
    "out_features": {"low": 1, "high": 2048, "role": "config"},
}
TAGS = (
    "category:Quantization",
    "kerneleval:GEMM",
    "rubric:K3",
    "source:serving",
    "difficulty:hard",
)
CONTRACT = {
    "kind": "quantised",
    "codes": {"weight_codes": (-127, 127)},
    "scales": ("weight_scale",),
    "activation_levels": 127,
    "accumulator": "int32",
}

batch = 128
in_features = 512
out_features = 384


class Model(nn.Module):
    """y = s_x s_w (round(x / s_x) W^T), s_x = max|x| / 127 for each row.

    Codes are rounded half to even; sums of products of codes are exact (int32); a row of zeros has
    zero codes.
    """

    weight_codes: torch.Tensor
    weight_scale: torch.Tensor

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        weight = torch.randn(out_features, in_features) / in_features**0.5
        scale = weight.abs().amax(dim=1) / 127
        self.register_buffer("weight_codes", torch.round(weight / scale[:, None]).to(torch.int8))
        self.register_buffer("weight_scale", scale)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        largest = x.abs().amax(dim=-1, keepdim=True)
        scale = torch.where(largest > 0, largest / 127, 1.0)
        codes = torch.round(x / scale).to(torch.int32)
        # CUDA has no product of matrices of int32; float64 holds the same sums exactly.
        exact = torch.int32 if x.device.type == "cpu" else torch.float64
        sums = codes.to(exact) @ self.weight_codes.to(exact).T
        return sums.to(torch.float32) * scale * self.weight_scale


class Vendor(Model):
    """The library's own call for the product of codes, where its sizes are legal on a device."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        largest = x.abs().amax(dim=-1, keepdim=True)
        scale = torch.where(largest > 0, largest / 127, 1.0)
        rows, (cols, depth) = len(x), self.weight_codes.shape
        if rows <= 16 or cols % 8 or depth % 8:
            return super().forward(x)
        sums = torch._int_mm(torch.round(x / scale).to(torch.int8), self.weight_codes.T)
        return sums.to(torch.float32) * scale * self.weight_scale


def get_inputs():
    return [torch.randn(batch, in_features)]


def get_init_inputs():
    return [in_features, out_features]
