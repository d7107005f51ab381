"""Literals: every number with its use, whatever text it stands in."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import Severity
from assay.source_analysis.literals.branch_remarks import branch_remarks
from assay.source_analysis.literals.candidate_literals import candidate_literals
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral

COUNTED, COMPARED = LiteralUse.COUNTER, LiteralUse.COMPARED
CPP = 'SOURCE = r"""\n#include <cmath>\n{}\n"""\n'


def found(text: str, path: str = "kernel.py") -> dict[float, LiteralUse]:
    literals = candidate_literals(candidate(text, path))
    return {one.value: one.use for one in reversed(literals)}


def candidate(text: str, path: str = "kernel.py") -> Candidate:
    return Candidate(name="k", language="cpp", sources=(SourceFile(path=path, text=text),))


@pytest.mark.parametrize(
    "text, value, use",
    [
        ("if x.shape[-1] == 640: pass", 640, COMPARED),
        ("W = 20 * 32\nif n == W: pass", 640, COMPARED),
        ("if n in (640, 1000): pass", 1000, COMPARED),
        ("T = {640: 1}\nif n in T: pass", 640, COMPARED),
        (
            "class A:\n  W = int('640')\n  def f(s, n): return n == s.W or n == int('641')",
            641,
            COMPARED,
        ),
        ("y = 1 if abs(n - 640) < 1 else 2", 640, COMPARED),
        ("match n:\n  case 640: pass", 640, COMPARED),
        ("if n % 97 == 41: pass", 97, LiteralUse.MODULUS),
        ("TABLE = [640, 641]", 641, LiteralUse.TABLE),
        ("m = n // 640", 640, LiteralUse.DIVISOR),
        ("for i in range(640): pass", 640, LiteralUse.LOOP),
        ("y[640:] = 0", 640, COMPARED),
        ("rows = min(rows, 640)", 640, COMPARED),
        ("y = 3.75 * x", 3.75, LiteralUse.PLAIN),
        ("def f(s):\n  s.n += 1\n  if s.n % 37 == 0: pass", 37, COUNTED),
        ("def f():\n  global N\n  N = N + 1\n  if N > 500: pass", 500, COUNTED),
        ("def f(s):\n  k = s.d[0] = s.d[0] + 1\n  return k == 77", 77, COUNTED),
        ("C = count()\nif next(C) % 37: pass", 37, COUNTED),
    ],
)
def test_python(text: str, value: float, use: LiteralUse) -> None:
    assert found(text)[value] is use


@pytest.mark.parametrize(
    "text, value, use",
    [
        ("void f(long n) { if (n == 640) {} }", 640, COMPARED),
        ("#define W 20 * 32\nvoid f(long n) { if (n == W) {} }", 640, COMPARED),
        ("constexpr int A = 20, B = A * 32;\nvoid f(long n) { return n != B; }", 640, COMPARED),
        ("void f(long n) { return n > 70 * 1000 ? 1 : 2; }", 70000, COMPARED),
        ("void f(long n) { switch (n) { case 640: break; } }", 640, COMPARED),
        ("void f(float x) { if (fabsf(x - 3.7f) < 0.01f) {} }", 3.7, COMPARED),
        ("void f(float x) { if (fabsf(x - 17.0f / 10.0f) < 1e-3f) {} }", 1.7, COMPARED),
        ("long f(long n) { return min(n, 640); }", 640, COMPARED),
        ("long f(long n) { return std::min<long>(n, 640); }", 640, COMPARED),
        ("void f() { float row[640]; }", 640, LiteralUse.BOUND),
        ("void f() { static std::vector<int>* rows[640]; }", 640, LiteralUse.BOUND),
        ("void f(float* x) { x[640] = 1; }", 640, LiteralUse.PLAIN),
        ("float f(float* x) { return x[640]; }", 640, LiteralUse.PLAIN),
        ("static const int t[] = {640, 0x3e8};\nvoid f();", 1000, LiteralUse.TABLE),
        ("void f(long n) { if (n % 97 == 41) {} }", 97, LiteralUse.MODULUS),
        ("void f() { for (int i = 0; i < 640; ++i) {} }", 640, LiteralUse.LOOP),
        ("void f() { static long c = 0; if (++c % 613 == 0) {} }", 613, COUNTED),
        ("void f(bool b) { static int c; c = b ? c + 1 : 0; if (c > 200) {} }", 200, COUNTED),
        ("std::atomic<long> c{0};\nvoid f() { long k = c++; if (k > 1'000) {} }", 1000, COUNTED),
    ],
)
def test_cpp(text: str, value: float, use: LiteralUse) -> None:
    assert found(CPP.format(text))[value] is use
    assert found(text, "kernel.cu")[value] is use


def test_a_loop_variable_is_no_counter() -> None:
    text = "void f(int n) { for (int i = 0; i < n; ++i) if (i == 640) {} }"
    assert found(text, "kernel.cpp")[640] is COMPARED
    tile = (
        "constexpr long T = 640;\nvoid f(long n) { for (long i = 0; i < n; i += T) if (i > T) {} }"
    )
    assert found(tile, "kernel.cpp")[640] is COMPARED
    assert found("i = 0\nwhile i < n:\n  i += 1\n  if i == 640: pass")[640] is COMPARED


@pytest.mark.parametrize(
    "text",
    [
        "seen = kept.get(0, 0) + 1\nkept[0] = seen\nif seen > 900: pass",
        "old = kept[0]\nseen = old + 1\nkept[0] = seen\nif seen > 900: pass",
        "setattr(f, 'n', getattr(f, 'n', 0) + 1)\nif f.n > 900: pass",
        "n = getattr(f, 'n', 0)\nf.n = n + 1\nif n == 900: pass",
    ],
)
def test_a_counter_is_read_by_another_name(text: str) -> None:
    assert found(text)[900] is COUNTED


def test_a_buffer_that_is_kept_is_no_counter() -> None:
    text = "old = kept.get(k)\nnew = old if old is not None else made(k)\nkept[k] = new\n"
    assert found(text + "if new.size > 900: pass")[900] is COMPARED


def test_comments_and_docstrings_are_no_code() -> None:
    text = '"""At most 640."""\n# 641\n' + CPP.format("// 642\nint a = 643;")
    assert {640, 641, 642} & found(text).keys() == set()
    assert 643 in found(text)


def test_compared_numbers_come_first_and_each_once() -> None:
    literals = candidate_literals(candidate("a = 640\nb = 641\nif n == 641: pass"))
    assert [one.value for one in literals] == [641, 640]


@pytest.mark.parametrize(
    "literal, first",
    [
        (SourceLiteral(640, COMPARED), 640),
        (SourceLiteral(640, COMPARED, strict=True), 642),
        (SourceLiteral(97, LiteralUse.MODULUS, residue=41), 138),
        (SourceLiteral(0x3FFFF, COMPARED), 0x40001),
    ],
)
def test_sizes(literal: SourceLiteral, first: int) -> None:
    assert literal.sizes[0] == first
    assert not SourceLiteral(3.7).sizes and not SourceLiteral(1 << 40).sizes


@pytest.mark.parametrize("text", ["if n == " + "(" * 300, "\0", "x = 1" + "0" * 5000, "9**9**9**9"])
def test_hostile_texts_are_read_without_failure(text: str) -> None:
    candidate_literals(candidate(text))
    candidate_literals(candidate(text, "kernel.cpp"))


def test_remarks_are_notes() -> None:
    text = "def f(s, n):\n  s.c += 1\n  if s.c % 37 == 0 or n == 640: pass\n  return n % 4 == 0"
    remarks = branch_remarks(candidate_literals(candidate(text)))
    assert all(one.severity is Severity.NOTE for one in remarks)
    assert {"37", "640"} <= {word for one in remarks for word in one.text.split()}
