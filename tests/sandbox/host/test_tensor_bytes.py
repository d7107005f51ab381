"""A tensor's storage span as bytes, and bytes as a tensor."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from assay.sandbox.host.tensor_bytes import dtype_name, from_bytes, span, span_bytes
from assay.sandbox.protocol.replies import DTYPES

BASE = torch.arange(48, dtype=torch.float32)


@pytest.mark.parametrize(
    ("tensor", "elements"),
    [
        (BASE.view(6, 8), 48),
        (BASE.view(6, 8).t(), 48),
        (BASE.view(6, 8)[:, ::2], 47),
        (BASE.view(6, 8)[1:3, 2:5], 11),
        (BASE[:1].expand(1000), 1),
        (BASE[:6, None].expand(6, 9), 6),
        (BASE[5], 1),
        (BASE[:0], 0),
        (BASE.view(6, 8)[:, :0], 0),
    ],
)
def test_the_span_reaches_from_first_to_last(tensor: torch.Tensor, elements: int) -> None:
    assert span(tensor) == elements
    assert span_bytes(tensor).size == elements * 4


@pytest.mark.parametrize(
    "tensor",
    [
        BASE.view(6, 8)[1:3, 2:5],
        BASE.view(6, 8).t()[3:],
        BASE.view(6, 8)[::2, ::3],
        BASE[:6, None].expand(6, 9),
        BASE.view(6, 8).to(torch.bfloat16)[:, 1::2],
        (BASE.view(6, 8) > 20)[2:, ::2],
        torch.complex(BASE, -BASE).view(6, 8)[1:, ::3],
        torch.complex(BASE, -BASE).to(torch.complex128).view(6, 8).t(),
        BASE.to(torch.int64).view(6, 8)[1:],
        BASE.to(torch.float8_e4m3fn).view(6, 8)[:, 2:4],
    ],
)
def test_the_bytes_rebuild_the_tensor_with_its_strides(tensor: torch.Tensor) -> None:
    data = span_bytes(tensor).tobytes()
    flat = torch.frombuffer(bytearray(data), dtype=tensor.dtype)
    again = flat.as_strided(tensor.shape, tensor.stride(), 0)
    assert span_bytes(again.contiguous()).tobytes() == span_bytes(tensor.contiguous()).tobytes()


def test_the_span_is_a_view_and_not_a_copy() -> None:
    tensor = torch.zeros(4)
    span_bytes(tensor)[:] = 1
    assert (tensor != 0).all()


def test_a_parameter_has_bytes_too() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    assert span_bytes(weight).tobytes() == span_bytes(torch.ones(3)).tobytes()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 4), (2, 3, 2)])
def test_every_dtype_comes_back(name: str, shape: tuple[int, ...]) -> None:
    kind = getattr(torch, name)
    count = 1
    for size in shape:
        count *= size
    data = bytes(n % 2 for n in range(count * kind.itemsize))
    tensor = from_bytes(np.frombuffer(bytearray(data), np.uint8), name, shape)
    assert tensor.dtype is kind and tuple(tensor.shape) == shape and dtype_name(tensor) == name
    assert span_bytes(tensor).tobytes() == data
