"""Which lines put a value into a smaller float, and which only look like it."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.source_analysis.narrowing import narrowings

NARROWS = (
    "acc += tl.dot(a.to(tl.float16), b)",
    "y = x.half()",
    "y = x.t().contiguous().bfloat16()",
    "y = tl.load(p).to(tl.bfloat16)",
    "y = np.float16(x[i])",
    "y = self.weight.to(dtype=torch.float16)",
    "y = tl.cast(x, tl.float16)",
    "SMALL = torch.half\ny = x.to(SMALL)",
    'y = x.astype("float16")',
    "if x.dtype == tl.float32:\n    y = x.to(tl.float16)",
    "if x.dtype != tl.float16:\n    y = x.to(tl.float16)",
    "y = x if x.dtype == tl.float16 else x.to(tl.float16)",
)
KEEPS = (
    "y = x.float()",
    "y = x.to(torch.float64)",
    "y = x.to(other.dtype)",
    "acc += x\ny = acc.to(tl.float16)",  # a choice of accumulator
    "y = (a * b).to(tl.float16)",
    "half = n // 2\ny = half(x)",
    "y = 'x.half()'",
    "# y = x.half()",
    "if x.dtype == tl.float16:\n    y = x.to(tl.float16)",
    "if x.dtype in (torch.float16, torch.bfloat16):\n    y = x.half()",
    "if x.dtype != tl.float16:\n    y = x\nelse:\n    y = x.half()",
    "y = x.half() if x.dtype is torch.float16 else x",
    "if a:\n    y = x\nelif p.dtype.element_ty == tl.bfloat16:\n    y = x.to(tl.bfloat16)",
)
NARROWS_CPP = (
    "c += (float)(_Float16)a[i];",
    "c += static_cast<__half>(a[i]);",
    "c += (float)_Float16(a[i]);",
    "_Float16 v = a[i];",
    "s[i] = __float2half(a[i]);",
)
KEEPS_CPP = (
    "_Float16 acc = 0;",
    "c += half(a[i]);",  # a function of that name
    "// (_Float16)a[i]",
    "float v = a[i];",
)


def candidate(text: str, path: str = "kernel.py") -> Candidate:
    file = SourceFile(path=path, text=text)
    return Candidate(name="c", language="torch", sources=(file,))


def unit(body: str) -> str:
    return f'extern "C" void f(const float* a, float* s, long i) {{\n  float c = 0;\n  {body}\n}}\n'


@pytest.mark.parametrize("text", NARROWS)
def test_python_that_narrows(text: str) -> None:
    found = narrowings(candidate(text))
    assert [e.where for e in found] == [f"kernel.py:{text.count(chr(10)) + 1}"]


@pytest.mark.parametrize("text", KEEPS)
def test_python_that_does_not(text: str) -> None:
    assert narrowings(candidate(text)) == ()


@pytest.mark.parametrize("body", NARROWS_CPP)
def test_cpp_that_narrows(body: str) -> None:
    assert [e.where for e in narrowings(candidate(unit(body), "kernel.cpp"))] == ["kernel.cpp:3"]
    inside = f'SOURCE = r"""\n{unit(body)}"""\n'
    assert [e.where for e in narrowings(candidate(inside))] == ["kernel.py:4"]


@pytest.mark.parametrize("body", KEEPS_CPP)
def test_cpp_that_does_not(body: str) -> None:
    assert narrowings(candidate(unit(body), "kernel.cpp")) == ()


def test_a_file_that_does_not_parse_shows_nothing() -> None:
    assert narrowings(candidate("def (")) == ()
