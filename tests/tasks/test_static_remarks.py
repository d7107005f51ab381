"""Static remarks: what a source shows, and nothing where it shows nothing."""

from __future__ import annotations

import pytest

from assay.tasks.readers.kernelbench import task_of_text
from assay.tasks.static_remarks import static_remarks

PLAIN = """
import torch
{imports}

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        return {result}


def get_inputs():
    return [{inputs}]


def get_init_inputs():
    return []
"""


def _remarks(
    imports: str = "",
    init: str = "pass",
    result: str = "torch.relu(x)",
    inputs: str = "torch.rand(4)",
) -> tuple[str, ...]:
    text = PLAIN.format(imports=imports, init=init, result=result, inputs=inputs)
    return static_remarks(task_of_text(text))


def test_a_plain_task_has_none() -> None:
    assert _remarks() == ()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"init": "self.d = torch.nn.Dropout(0.2)"}, "it is judged in eval mode"),
        ({"result": "torch.bernoulli(x)"}, "its answer is random"),
        ({"result": "torch.linalg.svd(x)"}, "unique only up to sign"),
        ({"result": "torch.linalg.lu(x, pivot=False)"}, "LU without pivoting"),
        ({"inputs": "torch.randint(0, 3, (4,))"}, "integer or boolean inputs"),
        ({"imports": "import no_such_package"}, "pip install no_such_package"),
        ({"imports": "import triton"}, "needs a GPU"),
    ],
)
def test_what_is_seen_is_told(changed: dict[str, str], told: str) -> None:
    assert any(told in remark for remark in _remarks(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"init": "self.d = torch.nn.Dropout(p=0.0)"},
        {"init": "self.w = torch.nn.Parameter(torch.randn(4))"},
        {"result": "torch.nn.functional.dropout(x, 0.5, training=False)"},
    ],
)
def test_what_is_switched_off_is_not(changed: dict[str, str]) -> None:
    assert _remarks(**changed) == ()
