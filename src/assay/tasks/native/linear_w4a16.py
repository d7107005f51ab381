"""Linear layer with four-bit weights packed two to a byte, a scale and a zero for each group."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 1024, "role": "batch"},
    "in_features": {"low": 32, "high": 2048, "multiple_of": 32, "role": "config"},
    "out_features": {"low": 1, "high": 2048, "role": "config"},
}
TAGS = (
    "category:Quantization",
    "kerneleval:GEMM",
    "rubric:K3",
    "source:serving",
    "difficulty:hard",
    "dtype:bfloat16",
)
CONTRACT = {
    "kind": "quantised",
    "codes": {"packed": (0, 255), "zeros": (0, 15)},
    "scales": ("scales",),
    "accumulator": "float32",
}

batch = 64
in_features = 512
out_features = 256
GROUP = 32


class Model(nn.Module):
    """y = x ((q - z) s)^T: q in 0..15, one s and one z for each 32 inputs of an output.

    Byte k of a row holds code 2k in its low half and code 2k + 1 in its high half. Activations and
    result are bfloat16; products are summed in float32.
    """

    packed: torch.Tensor
    scales: torch.Tensor
    zeros: torch.Tensor

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        weight = torch.randn(out_features, in_features // GROUP, GROUP) / in_features**0.5
        low, high = weight.amin(-1), weight.amax(-1)
        scales = (high - low) / 15
        zeros = torch.round(-low / scales).clamp(0, 15)
        codes = torch.round(weight / scales[..., None] + zeros[..., None]).clamp(0, 15)
        codes = codes.to(torch.uint8).reshape(out_features, in_features)
        self.register_buffer("packed", codes[:, 0::2] | (codes[:, 1::2] << 4))
        self.register_buffer("scales", scales)
        self.register_buffer("zeros", zeros.to(torch.uint8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        codes = torch.stack([self.packed & 15, self.packed >> 4], dim=-1).to(torch.float32)
        groups = codes.reshape(*self.scales.shape, GROUP)
        weight = (groups - self.zeros[..., None].to(torch.float32)) * self.scales[..., None]
        return (x.to(torch.float32) @ weight.flatten(1).T).to(torch.bfloat16)


def get_inputs():
    return [torch.randn(batch, in_features).to(torch.bfloat16)]


def get_init_inputs():
    return [in_features, out_features]
