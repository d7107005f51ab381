"""A module judged against itself is accepted: forms that `benchmarks/fuzz.py` found refused."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from fuzzing.draft import Draft, Module
from fuzzing.judging import judge
from fuzzing.record import Finding

ONLY_A_BUFFER = ("self.register_buffer('last', torch.zeros(1))", "self.last = x.sum().reshape(1)")
RUNNING_PEAK = (
    "self.register_buffer('peak', torch.zeros(()))",
    "self.peak.copy_(torch.maximum(self.peak, x.max()))",
)
FROZEN = ("self.norm = nn.BatchNorm1d(b).eval()", "h = self.norm(x)")
TRAINED = ("self.norm = nn.BatchNorm1d(b, momentum=0.3)", "h = self.norm(x)")


def module(parts: tuple[str, str], result: str) -> Module:
    setup, body = parts
    draft = Draft(random.Random(0), sizes={"a": 6, "b": 20}, result=result)
    draft.inputs["x"] = "torch.randn(a, b)"
    draft.setup.append(setup)
    draft.body.append(body)
    return draft.finished(0)


MODULES = {
    "only_a_buffer": module(ONLY_A_BUFFER, "None"),
    "running_peak": module(
        RUNNING_PEAK, "{'y': x * 2, 'code': (x.abs() + 2).clamp(0, 1).to(torch.int64)}"
    ),
    "frozen_layer": module(FROZEN, "h"),
    "batch_norm": module(TRAINED, "(h, None, [h.sum()])"),
}


ALWAYS = ("running_peak", "batch_norm")  # a buffer that the result does not show, and one it does


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> dict[str, Finding]:
    """Those of this run, judged behind one wall."""
    parameters = [
        item.callspec.params for item in request.session.items if item.path == Path(__file__)
    ]  # type: ignore[attr-defined]
    names = [one["name"] for one in parameters]
    return dict(zip(names, judge(0, [MODULES[name] for name in names]), strict=True))


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in ALWAYS else pytest.mark.exhaustive) for n in MODULES],
)
def test_it_is_accepted(found: dict[str, Finding], name: str) -> None:
    assert found[name].status == "accepted", found[name].reason
