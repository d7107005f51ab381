"""Python code: maintainability index and cyclomatic complexity, as radon computes them.

Source: radon (`mi_visit`, `cc_visit`), which KernelBench-X uses too. The rule: the candidate alone
is measured, without any test code.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.python_tree import module_tree


@dataclass(frozen=True)
class PythonCode:
    """Measures of some Python text."""

    lines: int  # that are not blank
    maintainability: float  # 0 to 100
    complexity_mean: float | None  # None without a function or class
    complexity_max: int | None


def python_code(texts: Sequence[str]) -> PythonCode | None:
    """Of all texts together; None where one does not parse, or there is none."""
    try:
        from radon.complexity import cc_visit
        from radon.metrics import mi_visit
    except ModuleNotFoundError as error:
        raise UsageError("code measures need radon: pip install 'kernel-assay[scores]'") from error
    text = "\n".join(texts)
    try:
        module_tree(text)
    except (SyntaxError, ValueError):
        return None
    if not text.strip():
        return None
    blocks = [block.complexity for block in cc_visit(text)]
    return PythonCode(
        lines=sum(bool(line.strip()) for line in text.splitlines()),
        maintainability=float(mi_visit(text, multi=True)),
        complexity_mean=sum(blocks) / len(blocks) if blocks else None,
        complexity_max=max(blocks, default=None),
    )


def native_texts_in(text: str) -> list[str]:
    """String literals of a Python text that hold C++ or CUDA."""
    try:
        nodes = list(ast.walk(module_tree(text)))
    except (SyntaxError, ValueError):
        return []
    strings = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    marks = ("#include", "__global__", "torch::Tensor", 'extern "C"')
    return [one for one in strings if any(mark in one for mark in marks) and "{" in one]
