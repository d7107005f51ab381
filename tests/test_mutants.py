"""The mutators of benchmarks/mutants: they change what they say, and only that. Text alone."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from mutants import equivalents, recipes  # noqa: E402
from mutants.cpp_region import regions  # noqa: E402
from mutants.edit import Edit, Splice  # noqa: E402
from mutants.edits import edits  # noqa: E402
from mutants.kernel import Kernel, kernels  # noqa: E402
from mutants.mutant import Mutant, mutants  # noqa: E402
from mutants.record import Finding, Record  # noqa: E402
from mutants.selection import choose  # noqa: E402
from mutants.table import Table  # noqa: E402

CPP = '''
import torch
SOURCE = r"""
#include <cmath>
extern "C" void norm(const float* x, const float* w, const float* b, float* y, long rows, long n) {
  for (long row = 0; row < rows; ++row, x += n, y += n) {
    double sum = 0.0;  // for (long i = 0; i < 9; ++i)
    for (long i = 0; i < n; ++i) sum += x[i] * x[i];
    const float scale = 1.0f / std::sqrt(sum / n + eps);
    for (long i = 0; i < n; ++i) y[i] = x[i] * scale * w[i] + b[i];
  }
}
"""
FLAGS = ["g++", "-O3", "-shared"]
class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        return run(x, self.norm.weight)
'''
NUMBA = """
import math
import torch
from numba import njit

@njit
def rows(source, bias, target):
    for row in range(source.shape[0]):
        largest = source[row, 0]
        for i in range(source.shape[1]):
            if source[row, i] > largest or math.isnan(source[row, i]):
                largest = source[row, i]
        total = 0.0
        for i in range(source.shape[1]):
            total += math.exp(source[row, i] - largest)
        target[row] = total / source.shape[1] + bias[row]

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return run(x)
"""
TRITON = """
import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count, other=0.0)
    tl.store(y_ptr + offsets, x + 1.0, mask=offsets < count)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        add[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
"""


def made_of(text: str) -> list[Mutant]:
    kernel = Kernel("somewhere/kernel.py", "softmax", text)
    return list(mutants(kernel, edits(kernel)))


def holds(text: str, kind: str, fragment: str) -> bool:
    return any(m.kind == kind and fragment in m.text for m in made_of(text))


@pytest.mark.parametrize(
    ("kind", "fragment"),
    [
        ("tail_off_by_one", "i < (n) - 1; ++i) sum +="),
        ("one_too_many", "i <= n; ++i) y[i]"),
        ("vector_tail_dropped", "i < (n) / 8 * 8; ++i) sum"),
        ("first_skipped", "long i = 1; i < n; ++i) y[i]"),
        ("truncated_reduction", "i < ((n) < 1000 ? (n) : 1000); ++i) sum"),
        ("every_second_term", "i < n; i += 2) sum"),
        ("narrow_index_int16", "sum += x[(i & 32767)] * x[i]"),
        ("half_accumulation", "sum = (float)(_Float16)(float)(sum + (x[i] * x[i]));"),
        ("bf16_accumulation", "sum = coarse_bf16((float)(sum + (x[i] * x[i])));"),
        ("half_operands", "sum += (float)(_Float16)(float)(x[i]) * x[i];"),
        ("double_counted", "sum += (i == 0 ? 2 * (x[i] * x[i]) : (x[i] * x[i]));"),
        ("sub_sampled", "i % 2 == 0 ? 2 *"),
        ("sum_kept", "static double sum = 0.0"),
        ("eps_missing", "std::sqrt(sum / n)"),
        ("eps_larger", "+ 10 * eps)"),
        ("eps_outside_root", "std::sqrt(sum / n) + eps"),
        ("wrong_divisor", "sum / (n - 1) + eps"),
        ("gain_ignored", "y[i] = x[i] * scale + b[i]"),
        ("bias_ignored", "x[i] * scale * w[i];"),
        ("wrong_broadcast", "w[0] + b[i]"),
        ("constant_changed", "1.001f / std"),
        ("half_output", "y[i] = (float)(_Float16)(float)("),
        ("race", '"-O3", "-fopenmp"'),
        ("race", "#pragma omp parallel for num_threads(2)\nfor (long i"),
        ("strides_ignored", "x = x\n"),
        ("stale_weights", "setdefault('_kept_self_norm_weight', self.norm.weight.detach()"),
        ("result_kept_by_shape", "ModelNew.forward = _forward"),
    ],
)
def test_faults_of_cpp(kind: str, fragment: str) -> None:
    assert holds(CPP, kind, fragment)


@pytest.mark.parametrize(
    ("kind", "fragment"),
    [
        ("tail_off_by_one", "range(0, source.shape[1] - 1)"),
        ("comparison_reversed", "source[row, i] < largest or"),
        ("max_from_zero", "largest = 0.0\n"),
        ("max_not_subtracted", "math.exp(source[row, i])"),
        ("half_accumulation", "total = _coarse(total + math.exp(source[row, i] - largest), 11)"),
        ("truncated_reduction", "range(min(source.shape[1], 1000))"),
        ("wrong_divisor", "total / (source.shape[1] - 1)"),
        ("bias_ignored", "target[row] = total / source.shape[1]\n"),
        ("narrow_index_uint16", "source[row, (i & 65535)]"),
        ("clamped_exponent", "math.exp(max(source[row, i] - largest, -20.0))"),
    ],
)
def test_faults_of_numba(kind: str, fragment: str) -> None:
    assert holds(NUMBA, kind, fragment)


@pytest.mark.parametrize(
    ("kind", "fragment"),
    [
        ("mask_dropped", "x = tl.load(x_ptr + offsets)\n"),
        ("mask_dropped", "tl.store(y_ptr + offsets, x + 1.0)\n"),
        ("tail_off_by_one", "mask=(offsets < count - 1)"),
        ("one_too_many", "mask=(offsets <= count)"),
        ("half_operands", ".to(tl.float16).to(tl.float32)"),
        ("missing_last_block", "max(1, x.numel() // 64)"),
        ("narrow_index_uint16", "((offsets) & 65535)"),
    ],
)
def test_faults_of_triton(kind: str, fragment: str) -> None:
    assert holds(TRITON, kind, fragment)


def test_a_fill_value_matters_only_to_a_reduction() -> None:
    assert not any(mutant.kind == "wrong_fill" for mutant in made_of(TRITON))
    assert holds(TRITON.replace("x + 1.0", "tl.sum(x)"), "wrong_fill", "other=0.5")


def test_a_softmax_hands_nan_on_by_itself() -> None:
    maximum = NUMBA.replace("math.exp(source[row, i] - largest)", "largest")
    assert holds(maximum, "nan_swallowed", "if source[row, i] > largest:\n")
    assert not any(mutant.kind == "nan_swallowed" for mutant in made_of(NUMBA))


def test_comments_and_steps_of_pointers_are_left_alone() -> None:
    region = regions(CPP)[0]
    assert len(region.loops) == 3
    assert [a.target for a in region.accumulations] == ["sum"]


def test_a_function_that_nobody_calls_is_left_alone() -> None:
    called = CPP.replace("return run(x", "return lib.norm(x").replace("self.norm.", "self.")
    alone = called.replace("lib.norm", "lib.other")
    assert any(m.kind == "tail_off_by_one" for m in made_of(called))
    assert not any(m.kind == "tail_off_by_one" for m in made_of(alone))


def test_a_template_is_no_region() -> None:
    assert regions('SOURCE = "for (long i = 0; i < {{ n }}; ++i) y[i] = 0;"') == []


@pytest.mark.parametrize("text", [CPP, NUMBA, TRITON])
def test_mutants_parse_and_differ(text: str) -> None:
    found = made_of(text)
    for mutant in found:
        ast.parse(mutant.text)
    assert len({m.text for m in found} | {text}) == len(found) + 1
    assert len({m.id for m in found}) == len(found)


def test_an_edit_that_changes_nothing_or_overlaps_is_an_error() -> None:
    with pytest.raises(ValueError, match="changes nothing"):
        Edit("kind", (Splice(0, 1, "a"),)).apply("abc")
    with pytest.raises(ValueError, match="overlap"):
        Edit("kind", (Splice(0, 2, "x"), Splice(1, 3, "y"))).apply("abc")


def test_recipes_stand_in_their_kernels_once() -> None:
    found = {kernel.path: kernel for kernel in kernels()}
    recipes.check(found.values())
    wanted = len(recipes.recipes())
    assert sum(len(list(recipes.recipes_for(kernel))) for kernel in found.values()) == wanted


def test_a_recipe_without_its_text_is_an_error() -> None:
    path = recipes.recipes()[0].kernel
    with pytest.raises(ValueError, match="stands there 0 times"):
        list(recipes.recipes_for(Kernel(path, "softmax", "another text")))


def test_the_choice_is_stable_and_spread() -> None:
    found = [*made_of(CPP), *made_of(NUMBA)]
    chosen = choose(found, per_kind=1)
    assert chosen == choose(reversed(found), per_kind=1)
    assert len(chosen) == len({m.kind for m in found})


def test_every_note_about_an_equivalent_has_its_mutant_and_a_reason() -> None:
    notes = equivalents.REASONS
    paths = {note.split(":")[0] for note in notes}
    made = {m.id for k in kernels() if k.path in paths for m in mutants(k, edits(k))}
    assert not set(notes) - made
    assert all(len(reason) > 20 for reason in notes.values())


def test_a_record_goes_on_where_it_ended_and_the_table_counts(tmp_path: Path) -> None:
    first, second, third = made_of(CPP)[:3]
    record = Record(tmp_path / "record.jsonl")
    for mutant, status in ((first, "accepted"), (second, "incorrect"), (third, "build_failed")):
        finding = Finding(
            mutant=mutant.id, kind=mutant.kind, level="quick", status=status, elapsed_s=1.0
        )
        record.add(finding)
    again = Record(tmp_path / "record.jsonl")
    table = Table([first, second, third], ["quick"], again)
    text = "\n".join(table.lines())
    assert "1/2" in text and "50.0 %" in text
    assert f"survives quick: {first.id}" in text
    assert [f.mutant for f in table.broken()] == [third.id]
