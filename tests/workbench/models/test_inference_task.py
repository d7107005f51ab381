from __future__ import annotations

import inspect
from typing import Any

import pytest

from assay.workbench.models.inference_task import inference_text

MODEL = """
import torch

class {name}(torch.nn.Module):
    def __init__(self, rate):
        super({name}, self).__init__()
        self.drop = torch.nn.Dropout(rate)

    def forward(self, x):
        return self.drop(x)
"""


@pytest.mark.parametrize("entry", ["Model", "Block"])
def test_the_model_is_constructed_in_inference_mode(entry: str) -> None:
    scope: dict[str, Any] = {}
    exec(inference_text(MODEL.format(name=entry), entry), scope)
    model = scope["Model"](0.5)
    assert not model.training
    assert not model.drop.training
    assert list(inspect.signature(scope["Model"]).parameters) == ["rate"]
