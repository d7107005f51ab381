"""Wide arithmetic: casts to 16 bits stay roundings, of values that never were float32 too."""

from __future__ import annotations

import pytest
import torch

from assay.tasks.references.float64_mode import wide_arithmetic

WEIGHT = torch.tensor([[0.3], [0.7], [-1.1]], dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.int8, torch.bool])
def test_codes_that_become_numbers_are_multiplied_in_float64(dtype: torch.dtype) -> None:
    codes = torch.tensor([[1.0, 0.0, 3.0]]).to(dtype)
    with wide_arithmetic():
        made = codes.to(torch.bfloat16) @ WEIGHT.to(torch.bfloat16)
    rounded = WEIGHT.to(torch.bfloat16).to(torch.float64)
    assert made.dtype is torch.float64
    assert torch.equal(made, codes.to(torch.float64) @ rounded)


def test_an_integer_is_rounded_as_its_cast_says() -> None:
    with wide_arithmetic():
        assert float(torch.tensor(257).to(torch.bfloat16)) == 256.0
        assert float(torch.tensor(257).to(torch.float32)) == 257.0
