"""Where Dynamo found a value, and which constants a graph depends on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from assay.generators.dynamo_source import constant_conditions, source_expression


def test_a_source_is_an_expression_of_the_forward() -> None:
    assert source_expression("L['self']._modules['fc']._parameters['weight']") == "self.fc.weight"
    assert source_expression("L['self']._modules['0'].eps") == "self[0].eps"
    with pytest.raises(ValueError, match="comes from G"):
        source_expression("G['made'](1)")


def test_constants_of_the_trace_are_conditions_of_the_candidate() -> None:
    inner = SimpleNamespace(eps=1e-5, kernel=(3, float("-inf")), hook=print, nan=float("nan"))
    model = SimpleNamespace(norm=inner, training=False, mode="mean", sizes={"low": 3})
    names = [f"L['self']._modules['norm'].{one}" for one in ("eps", "kernel", "hook", "nan")]
    names += [
        "L['self'].training",
        "L['self'].mode",
        "L['self'].sizes['low']",
        "L['scale']",
        "G['torch'].pi",
    ]
    found = constant_conditions(names, {"self": model, "scale": 0.5})
    assert found == [
        "scale == 0.5",
        "self.norm.eps == 1e-05",
        'self.norm.kernel == (3, float("-inf"), )',
        "self.mode == 'mean'",
        "self.sizes['low'] == 3",
    ]
    assert all(eval(one, {"self": model, "scale": 0.5}) for one in found)
    with pytest.raises(ValueError, match="comes from L"):
        constant_conditions(["L['self'].gone"], {"self": model})
    inner.eps = 1e-3
    assert not eval(found[1], {"self": model})
