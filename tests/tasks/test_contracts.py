"""Contracts: read from the source, and kept by what is drawn and by what a call leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from assay.data.contract import Quantised, Updates
from assay.data.task import Task
from assay.data.workload import Distribution, Workload
from assay.errors import UsageError
from assay.tasks.catalog import resolve
from assay.tasks.readers.kernelbench import read_file
from assay.tasks.references.drawn_state import draw_state
from assay.tasks.references.reference import Reference
from assay.tasks.values.half_codes import half_codes
from assay.tasks.values.input_structure import Structure

HEAD = "import torch\nfrom torch import nn\nN = 40\n"
TAIL = "def get_init_inputs():\n    return []\n"


def task(forward: str, inputs: str = "torch.randn(N)", extra: str = "") -> Task:
    body = "".join(f"        {line}\n" for line in forward.splitlines())
    source = f"{HEAD}{extra}class Model(nn.Module):\n    def forward(self, x):\n{body}"
    source += f"def get_inputs():\n    return [{inputs}]\n{TAIL}"
    return Task(id="t", format="kernelbench", source=source)


def test_a_contract_is_read_and_a_broken_one_is_the_users_mistake(tmp_path: Path) -> None:
    path = tmp_path / "t.py"
    text = task("x.add_(1)").source
    path.write_text(text + "CONTRACT = {'kind': 'updates', 'inputs': (0,)}\n")
    assert read_file(path).contract == Updates(inputs=(0,))
    path.write_text(text + "CONTRACT = {'kind': 'updates', 'inputs': 'all'}\n")
    with pytest.raises(UsageError, match="CONTRACT"):
        read_file(path)
    path.write_text(text + "CONTRACT = 12\n")
    assert read_file(path).contract is None


def test_a_change_in_place_is_an_output_and_demanded_only_where_nothing_repeats_it() -> None:
    alone = Reference(task("x.mul_(2)\nreturn None"))
    assert [(u.input, u.demanded) for u in alone.updates] == [(0, True)]
    bound = alone.bind({}, 0)
    x = torch.randn(40)
    outputs = bound((x,), {}, wide=False)
    assert outputs.names == ("updated input:0",) and torch.equal(outputs.tensors[0], 2 * x)
    also = Reference(task("return x.relu_()"))
    assert [(u.input, u.demanded) for u in also.updates] == [(0, False)]
    assert Reference(task("return x * 2")).updates == ()


def test_inputs_that_must_be_positive_stay_so_and_others_do_not() -> None:
    root = Reference(task("return torch.sqrt(x)", "torch.rand(N)"))
    plain = Reference(task("return torch.tanh(x)", "torch.rand(N)"))
    assert root.structures() == (Structure.POSITIVE,) and plain.structures() == (Structure.FREE,)
    asked = Workload(axes=root.own_axes, dtype="float32", distribution=Distribution.NORMAL)
    assert bool((root.draw(asked, 3)[0] >= 0).all())
    assert bool((plain.draw(asked, 3)[0] < 0).any())


def test_codes_are_drawn_in_their_whole_domain_with_extreme_rows() -> None:
    reference = Reference(resolve("linear_w8a8"))
    module = reference.construct(reference.own_axes, 0)
    drawn = reference.draw_state(module, 1)
    codes = drawn["weight_codes"]
    assert codes.dtype == torch.int8 and int(codes.min()) == -127 and int(codes.max()) == 127
    rows = [set(row.tolist()) for row in codes]
    assert {127} in rows and {-127} in rows and {0} in rows
    assert bool((drawn["weight_scale"] > 0).all())
    assert torch.equal(draw_state(module, 1)["weight_codes"], module.weight_codes)


def test_half_codes_make_every_scale_a_power_of_two() -> None:
    made = half_codes(torch.randn(200, 33), 127, torch.Generator().manual_seed(2))
    scale = made.abs().amax(-1) / 127
    used = scale[scale > 0]
    assert torch.equal(used, torch.exp2(used.log2().round())) and len(used) < 200
    twice = 2 * made[scale > 0] / used[:, None]
    assert torch.equal(twice, twice.round()) and bool((twice % 2 != 0).any())


def test_a_declared_scheme_is_asked_about_its_codes() -> None:
    reference = Reference(resolve("linear_w8a8"))
    assert isinstance(reference.task.contract, Quantised) and reference.quantises_inputs
    assert not Reference(resolve("softmax")).quantises_inputs
