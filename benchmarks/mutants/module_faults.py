"""Faults of the module around a kernel, whatever its language: layouts, weights, results.

Wrong handling of what surrounds the kernel: an input's strides, changed weights, storage that is
used twice, results that are kept. What raises is no fault: it refuses, and the verdict counts that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutants.edit import Edit, Splice
from mutants.python_source import PythonSource

_MEMO = """

_compute = ModelNew.forward
_results = {}


def _forward(self, *arguments):
    key = tuple(tuple(a.shape) for a in arguments if isinstance(a, torch.Tensor))
    if key not in _results:
        _results[key] = _compute(self, *arguments)
    return _results[key]


ModelNew.forward = _forward
"""
_SPOIL = """

_compute = ModelNew.forward


def _forward(self, *arguments):
    result = _compute(self, *arguments)
    if arguments[0].numel():
        arguments[0].select(0, 0).fill_(1)
    return result


ModelNew.forward = _forward
"""
_ALLOCATES = ("torch.empty", "torch.empty_like", "torch.zeros")


def strides(source: PythonSource) -> Iterator[Edit]:
    """An input taken as contiguous."""
    forward = source.forward
    names = {a.arg for a in forward.args.args} - {"self"} if forward else set()
    for node in ast.walk(forward) if forward else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called_on = ast.unparse(node.func.value)
            if node.func.attr == "contiguous" and called_on.split(".")[0] in names:
                yield source.replaced("strides_ignored", node, called_on)


def stale_weights(source: PythonSource) -> Iterator[Edit]:
    """Weights as they were on the first call."""
    for node in ast.walk(source.forward) if source.forward else ():
        if isinstance(node, ast.Attribute) and node.attr in ("weight", "bias", "gamma", "beta"):
            whole = ast.unparse(node)
            if whole.startswith("self.") and isinstance(node.ctx, ast.Load):
                key = "_kept_" + whole.replace(".", "_")
                text = f"self.__dict__.setdefault({key!r}, {whole}.detach().clone())"
                yield source.replaced("stale_weights", node, text)


def storage(source: PythonSource) -> Iterator[Edit]:
    """One output storage for all calls, and storage that is not cleared."""
    for node in ast.walk(source.forward) if source.forward else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            whole, name = ast.unparse(node.value), ast.unparse(node.value.func)
            if name in _ALLOCATES and isinstance(node.targets[0], ast.Name):
                text = f"self.__dict__.setdefault(('_kept', str(({whole}).shape)), {whole})"
                yield source.replaced("shared_output", node.value, text)
            if name == "torch.zeros":
                text = whole.replace("torch.zeros", "torch.empty", 1)
                yield source.replaced("not_cleared", node.value, text)


def wrappers(source: PythonSource) -> Iterator[Edit]:
    """A result kept by shape, and an input that is written into."""
    end = len(source.text)
    if source.forward is not None and "import torch\n" in source.text:
        yield Edit("result_kept_by_shape", (Splice(end, end, _MEMO),))
        yield Edit("input_overwritten", (Splice(end, end, _SPOIL),))


MUTATORS = (strides, stale_weights, storage, wrappers)
