from __future__ import annotations

import pytest

from assay.errors import UsageError
from assay.workbench.models.joined_sources import JoinedSources

ONE = '''
"""A kernel."""
import math
import torch

SCALE = 2.0

def twice(x, SCALE=SCALE):
    total = SCALE * x
    return total

def other(SCALE):
    return SCALE + 1

class ModelNew(torch.nn.Module):
    limit = 3
    def forward(self, x):
        return twice(x) * self.limit * math.pi + len(self.names())
    def names(self):
        return [twice for twice in ("a", "b")]
'''


def test_names_of_two_modules_do_not_meet() -> None:
    joined = JoinedSources()
    joined.add(ONE, "k0_")
    joined.add(ONE.replace("2.0", "5.0"), "k1_")
    text = joined.text()
    scope: dict[str, object] = {}
    exec(text, scope)
    first, second = scope["k0_ModelNew"], scope["k1_ModelNew"]
    import math

    assert first().forward(1.0) == pytest.approx(2 * 3 * math.pi + 2)  # type: ignore[operator]
    assert second().forward(1.0) == pytest.approx(5 * 3 * math.pi + 2)  # type: ignore[operator]
    assert scope["k0_other"](1) == 2  # type: ignore[operator]
    assert text.count("import math") == 1
    assert "A kernel" not in text


def test_a_module_without_prefix_keeps_its_names_and_loses_some() -> None:
    joined = JoinedSources()
    joined.add(
        "sizes = 3\ndef get_inputs():\n    return [sizes]\nclass Model:\n    pass\n",
        "",
        ["get_inputs"],
    )
    text = joined.text()
    assert "class Model" in text
    assert "get_inputs" not in text


def test_imports_that_disagree_get_names_of_their_own() -> None:
    joined = JoinedSources()
    joined.add("from math import sqrt as root\nlow = root(4)\n", "")
    joined.add("from cmath import sqrt as root\nhigh = root(-4)\n", "b_")
    scope: dict[str, object] = {}
    exec(joined.text(), scope)
    assert (scope["low"], scope["b_high"]) == (2.0, 2j)
    with pytest.raises(UsageError, match="bind one name"):
        joined.add("from cmath import sqrt as root\n", "")
