"""Products of narrow codes with scales, and how codes are made."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Code, Float, Integer, task

FAMILY = {
    "category": "Quantization",
    "kerneleval": "GEMM",
    "level": "K4",
    "source": "serving",
    "difficulty": "hard",
}
AXES = {
    "batch": {"own": 4, "high": 32, "role": "batch"},
    "m": {"own": 96, "high": 512, "role": "batch"},
    "n": {"own": 128, "high": 512},
    "k": {"own": 128, "low": 32, "high": 512, "multiple_of": 32},
    "images": {"own": 2, "high": 16, "role": "batch"},
    "side": {"own": 16, "low": 4, "high": 64},
    "heads": {"own": 4, "high": 8},
    "length": {"own": 48, "high": 256},
}
BLOCK = 32  # elements that share a scale
FP4 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # sizes of e2m1


def _row_codes(x):
    """Codes of each row from its largest size, half to even, and the scales."""
    scale = x.abs().amax(dim=-1, keepdim=True).clamp_min(1e-6) / 127
    return torch.round(x / scale).clamp(-127, 127), scale


@task()
def matmul_w8a8(x: Float["m k"], codes: Code["n k"], scale: Float["n", "positive"]) -> Tensor:
    """Rows quantised on the fly times eight-bit weights, one scale an output."""
    rows, row_scale = _row_codes(x)
    return (rows @ codes.to(x.dtype).t()) * row_scale * (scale / 127)


@task()
def bmm_w8a8(
    a: Code["batch m k"], b: Code["batch k n"], scale: Float["batch", "positive"]
) -> Tensor:
    """A product of eight-bit codes for each member of a batch, one scale a member."""
    sums = torch.bmm(a.to(torch.float32), b.to(torch.float32))
    return sums * (scale / 16129)[:, None, None]


@task(kerneleval="convolution")
def conv2d_w8a8(
    x: Code["images 16 side side"], codes: Code["16 16 3 3"], scale: Float["16", "positive"]
) -> Tensor:
    """A convolution of eight-bit codes, one scale an output channel."""
    sums = torch.nn.functional.conv2d(x.to(torch.float32), codes.to(torch.float32), padding=1)
    return sums * (scale / 16129)[:, None, None]


@task(kerneleval="normalisation", level="K2")
def layernorm_w8a8(codes: Code["m k"], scale: Float["m", "positive"], gain: Float["k"]) -> Tensor:
    """LayerNorm of eight-bit rows after their scales, with gain."""
    x = codes.to(torch.float32) * (scale / 127)[:, None]
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain)


@task(kerneleval="attention")
def attention_w8a8(
    q: Code["heads length 32"], k: Code["heads length 32"], v: Code["heads length 32"]
) -> Tensor:
    """Attention on eight-bit codes, each worth 1/64."""
    q, k, v = (one.to(torch.float32) / 64 for one in (q, k, v))
    return torch.softmax(q @ k.transpose(-2, -1) / 32**0.5, dim=-1) @ v


@task(level="K2", kerneleval="elementwise", difficulty="medium")
def quantise_per_tensor(x: Float["m k"]) -> tuple[Tensor, Tensor]:
    """Eight-bit codes of all elements by one scale, half to even, and the scale."""
    scale = x.abs().amax().clamp_min(1e-6) / 127
    return torch.round(x / scale).clamp(-127, 127).to(torch.int8), scale


@task(level="K2", kerneleval="elementwise", difficulty="medium")
def quantise_per_channel(x: Float["m k"]) -> tuple[Tensor, Tensor]:
    """Eight-bit codes of each row by its own scale, half to even, and the scales."""
    codes, scale = _row_codes(x)
    return codes.to(torch.int8), scale


@task(level="K2", kerneleval="elementwise", difficulty="medium")
def dequantise_blocks(codes: Code["m k"], scale: Float["m k//32", "positive"]) -> Tensor:
    """Eight-bit codes times the scale of their block of 32."""
    blocks = codes.to(scale.dtype).unflatten(-1, (-1, BLOCK))
    return (blocks * scale.unsqueeze(-1)).flatten(-2)


@task()
def linear_w8a16_per_tensor(
    x: Float["m k"], codes: Code["n k"], scale: Float["1", "positive"]
) -> Tensor:
    """x times eight-bit weights that share one scale."""
    return (x @ codes.to(x.dtype).t()) * (scale / 127)


@task()
def gemm_fp8_block_scaled(
    a: Float["m k"], b: Float["n k"], a_scale: Float["m k//32", "positive"]
) -> Tensor:
    """A and B rounded to fp8 (e4m3), A with a scale for each block of 32, multiplied."""
    narrow_a = a.to(torch.float8_e4m3fn).to(torch.float32).unflatten(-1, (-1, BLOCK))
    narrow_b = b.to(torch.float8_e4m3fn).to(torch.float32)
    return (narrow_a * a_scale.unsqueeze(-1)).flatten(-2) @ narrow_b.t()


@task()
def gemm_fp4_block_scaled(
    x: Float["m k"], codes: Integer["n k", "0", "16"], scale: Float["n k//32", "positive"]
) -> Tensor:
    """x times four-bit floats (e2m1: sign and three bits), a scale for each block of 32."""
    sizes = torch.tensor(FP4, device=x.device)[codes & 7]
    signed = torch.where(codes >= 8, -sizes, sizes).unflatten(-1, (-1, BLOCK))
    return x @ (signed * scale.unsqueeze(-1)).flatten(-2).t()


@task()
def gemm_fp6_block_scaled(
    x: Float["m k"], codes: Integer["n k", "0", "64"], scale: Float["n k//32", "positive"]
) -> Tensor:
    """x times six-bit floats (e3m2), a scale for each block of 32."""
    exponent, mantissa = (codes >> 2) & 7, (codes & 3).to(x.dtype)
    sizes = torch.where(
        exponent == 0, mantissa / 16, (1 + mantissa / 4) * 2.0 ** (exponent.to(x.dtype) - 3)
    )
    signed = torch.where(codes >= 32, -sizes, sizes).unflatten(-1, (-1, BLOCK))
    return x @ (signed * scale.unsqueeze(-1)).flatten(-2).t()


@task()
def linear_int4_zero_point(
    x: Float["m k"],
    codes: Integer["n k", "0", "16"],
    zero: Integer["n k//32", "0", "16"],
    scale: Float["n k//32", "positive"],
) -> Tensor:
    """x times four-bit weights less the zero point of their block, times its scale."""
    whole = (codes.unflatten(-1, (-1, BLOCK)) - zero.unsqueeze(-1)).to(x.dtype)
    return x @ (whole * (scale / 16).unsqueeze(-1)).flatten(-2).t()
