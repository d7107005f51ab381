from __future__ import annotations

import math
from functools import partial
from typing import Any

import torch
from torch import nn

from assay.workbench.models.cut_task import task_text
from assay.workbench.models.graph.forward_code import forward_code
from assay.workbench.models.graph.fusion import fused, is_memory_bound
from assay.workbench.models.graph.region import KernelRegion
from assay.workbench.models.graph.region_work import multiplies, work_of
from assay.workbench.models.graph.traced_model import TracedModel, traced


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 8)
        self.parts = nn.ModuleList([nn.BatchNorm1d(8)])
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> Any:
        h = self.up(self.norm(x))
        y = x + self.relu(self.parts[0](h)) * math.pi
        y += 1.0
        return self.norm(y), y


def made() -> tuple[Block, TracedModel, torch.Tensor]:
    torch.manual_seed(0)
    model, x = Block().eval(), torch.randn(4, 8)
    return model, traced(model, [x]), x


def regions(found: TracedModel) -> list[KernelRegion]:
    joins = partial(is_memory_bound, traced=found, multiplies=lambda n: multiplies(n, found))
    return [KernelRegion.of(one) for one in fused(found.graph, joins)]


def test_adjacent_memory_bound_operations_are_one_region_and_products_stay_alone() -> None:
    _, found, _ = made()
    assert [one.label for one in regions(found)] == [
        "layer_norm",
        "linear",
        "batch_norm + relu + mul + add + add + layer_norm",
    ]


def test_a_region_moves_its_inputs_and_results_only() -> None:
    _, found, _ = made()
    last = regions(found)[-1]
    inputs = 2 * 4 * 8 + 6 * 8  # the product and x; four of the batch's, gain and bias
    assert work_of(last, found).bytes == 4 * (inputs + 2 * 4 * 8)
    assert not work_of(last, found).flops
    assert work_of(regions(found)[1], found).flops == {"float32": 2 * 4 * 8 * 8}


def test_no_region_leaves_and_comes_back() -> None:
    class Diamond(nn.Module):
        def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            a = torch.relu(x)
            return a + torch.tanh(a @ w)

    found = traced(Diamond(), [torch.randn(4, 4), torch.randn(4, 4)])
    labels = sorted(one.label for one in regions(found))
    assert labels == ["matmul", "relu", "tanh + add"]


def test_a_cut_out_task_computes_what_the_model_does() -> None:
    _, found, _ = made()
    values: dict[str, torch.Tensor] = {}

    class Kept(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> Any:
            values[n.name] = super().run_node(n)
            kept = values[n.name]
            values[n.name] = kept.clone() if isinstance(kept, torch.Tensor) else kept
            return kept

    Kept(found.module).run(torch.randn(4, 8))
    last = regions(found)[-1]
    scope: dict[str, Any] = {}
    exec(task_text(last, found, "A region."), scope)
    given = [values[one.name] for one in last.inputs]
    outputs = scope["Model"]()(*given)
    for one, result in zip(last.outputs, outputs, strict=True):
        torch.testing.assert_close(result, values[one.name])
    drawn = scope["get_inputs"]()
    assert [one.shape for one in drawn] == [one.shape for one in given]
    assert [one.dtype for one in drawn] == [one.dtype for one in given]
    assert scope["Model"]()(*drawn)[0].isfinite().all(), "a variance stays positive"


def test_the_flattened_forward_is_the_models_own() -> None:
    model, found, x = made()
    code = forward_code(found.graph, [])
    lines = [f"{one.makes} = {one.text}" for one in code.statements]
    body = "\n".join(f"    {line}" for line in [*lines, f"return {code.result}"])
    scope: dict[str, Any] = {}
    exec(
        f"import torch, operator\ndef forward({', '.join(['self', *code.arguments])}):\n{body}",
        scope,
    )
    with torch.no_grad():
        for own, other in zip(model(x), scope["forward"](model, x), strict=True):
            torch.testing.assert_close(own, other)
