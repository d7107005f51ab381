"""The examples that prompts show are kernels that the judge accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay.generators.completion as completion
from assay.generators.completion.code_extraction import Extracted, extract
from assay.pipeline import evaluate

PAGES = Path(completion.__file__).with_name("languages")
SCALED = """import torch


class Model(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def get_inputs():
    return [torch.randn({shape})]


def get_init_inputs():
    return [{factor}]
"""
DOUBLED = (
    SCALED.format(shape="4096", factor="")
    .replace("(self, factor)", "(self)")
    .replace("        self.factor = factor\n", "")
    .replace("x * self.factor", "2.0 * x")
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["triton", "numba", "cpp", "cpp_source"])
def test_an_example_is_accepted(name: str) -> None:
    found = extract((PAGES / f"{name}.md").read_text())
    assert isinstance(found, Extracted)
    task = DOUBLED if name == "cpp_source" else SCALED.format(shape="64, 1000", factor="1.5")
    verdict = evaluate(task, found.candidate, level="smoke", timing=False)
    assert verdict.status.value == "accepted", verdict.reason
