"""Slices: of a test's statements those that one call needs, with loops and tuples resolved."""

from __future__ import annotations

import ast

from assay.tasks.readers.slices.call_slice import CallSlice, slice_of
from assay.tasks.readers.slices.device_free import DeviceFree
from assay.tasks.readers.slices.straight_line import call_sites, root_name
from assay.tasks.readers.slices.tuple_names import TupleNames


def _slice(text: str, taken: frozenset[str] = frozenset()) -> CallSlice:
    """Of the first call of `f`."""
    site = call_sites(ast.parse(text).body, lambda call: root_name(call.func) == "f")[0]
    names, device_free = TupleNames(), DeviceFree()
    before = device_free.run(names.run(site.before))
    call = device_free.expression(names.expression(site.call))
    assert isinstance(call, ast.Call)
    return slice_of(before, call, ["x", "y"], taken)


def _lines(found: CallSlice) -> list[str]:
    return [ast.unparse(node) for node in (*found.constants, *found.statements)]


def test_what_the_call_does_not_need_is_left_out() -> None:
    found = _slice("n = 3\nz = torch.rand(9)\nx = torch.rand(n)\nx = torch.rand(n, 2)\nf(x)")
    assert _lines(found) == ["n = 3", "x = torch.rand(n, 2)"]
    assert found.call.expression == "f(x)" and found.draws


def test_a_range_is_entered_in_the_middle_and_folded() -> None:
    found = _slice("for i in range(4, 9):\n    m = k = 2 ** i\n    f(torch.rand(m, k))")
    assert _lines(found) == ["m = 64", "k = 64"]


def test_of_sizes_the_largest_of_words_the_plainest() -> None:
    text = "for mode in ('outlier', 'standard'):\n  for m, k in ((2, 3), (4, 5)):\n"
    found = _slice(f"{text}    f(rand_tensor((m, k), mode=mode))")
    assert _lines(found) == ["m = 4", "k = 5"]
    assert [ast.unparse(node) for node in found.inputs] == [
        "torch.randn((m, k), dtype=torch.float32)"
    ]


def test_a_loop_without_the_call_stays() -> None:
    found = _slice("x = torch.zeros(4)\nfor i in range(1, 4):\n    x[i] = x[i - 1] + i\nf(x)")
    assert _lines(found)[-1].startswith("for i in range(1, 4)")


def test_tuples_are_unpacked_and_indexed() -> None:
    bound = "case = (torch.rand(3), 7)\n"
    spread = _slice(f"{bound}f(*case, case[1], other=[case[0]])")
    assert spread.call.expression == "f(x, self.y, self.y, other=[x])"
    unpacked = _slice(f"{bound}a, n = case\nf(a, n)")
    for found in (spread, unpacked):
        assert found.call.settings == ("y",) and found.call.inputs == ("x",)


def test_devices_are_dropped() -> None:
    text = "device = 'cuda'\nx = torch.rand(3, device=device).to(device).cuda()\nf(x.to('cuda:0'))"
    assert _lines(_slice(text)) == ["x = torch.rand(3)"]


def test_choices_stay_in_the_call_and_numbers_are_settings() -> None:
    found = _slice("eps = 1e-5\nf(torch.rand(3), eps, dim=-1, mode='a', dtype=torch.int8, k=4)")
    assert found.call.expression == ("f(x, self.y, dim=-1, mode='a', dtype=torch.int8, k=self.k)")


def test_a_name_of_the_module_is_not_bound_again() -> None:
    found = _slice("sum = 4\nh = 5\nf(torch.rand(sum, h))", frozenset({"h"}))
    assert _lines(found) == ["sum_ = 4", "h_ = 5"]
    assert [ast.unparse(node) for node in found.inputs] == ["torch.rand(sum_, h_)"]


def test_names_from_elsewhere_are_told() -> None:
    assert "helper" in _slice("x = helper(3)\nf(x)").loads


def test_what_a_call_asks_of_a_tensor_it_asks_of_an_input() -> None:
    found = _slice("x = torch.empty(5)\nf(*x.shape, dtype=x.dtype, device=x.device)")
    assert _lines(found) == ["x = torch.zeros(5)"] and found.call.inputs == ("x",)
    assert found.call.expression == "f(*x.shape, dtype=x.dtype, device=x.device)"
