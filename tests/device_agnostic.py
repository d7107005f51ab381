"""Which kernels of the CPU corpus say the same on a GPU: judged there too, with the same label.

The rule: decided from the source alone. A kernel moves with its inputs where it is Triton or plain
torch and Python, builds nothing for the host, reads no host memory, makes every tensor where the
inputs are, and does not need Triton's interpreter (by its name, or for blocks no GPU can hold).

    python tests/device_agnostic.py     counts by label
"""

from __future__ import annotations

import ast
import re
from collections import Counter

from corpus_case import CorpusCase, cases

# What ties a source to the host's processor or to its memory.
_HOST_WORDS = re.compile(
    r"\b(ctypes|cffi|mmap|njit|numba|numpy|scipy|cpp_extension|load_inline|subprocess|data_ptr|"
    r"_get_nn|mkldnn|share_memory_)\b|\.numpy\(|\.cpu\(|from_numpy|from_buffer|frombuffer"
    r"|[\"']cpu[\"']|[\"']g\+\+[\"']"
)
_INTERPRETER_BLOCKS = re.compile(r"\b(32768|65536|131072|262144)\b")
# These make a tensor on the default device unless told where.
_MAKERS = frozenset(
    "empty zeros ones full tensor arange linspace eye rand randn empty_strided as_tensor".split()
)


def applies_on_cuda(case: CorpusCase) -> bool:
    """Whether the kernel needs nothing but its inputs to run where they are."""
    text = case.path.read_text(encoding="utf-8")
    interpreted = "interpreter" in case.name or _INTERPRETER_BLOCKS.search(text) is not None
    return not (interpreted or _HOST_WORDS.search(text) or _makes_host_tensors(text))


def _makes_host_tensors(text: str) -> bool:
    """Tensors made in a call without a device; parameters are moved with their module."""
    tree = ast.parse(text)
    constructors = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
        for inner in ast.walk(node)
    }
    return any(_makes(node) for node in ast.walk(tree) if node not in constructors)


def _makes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    module = node.func.value
    of_torch = isinstance(module, ast.Name) and module.id == "torch"
    placed = any(keyword.arg in ("device", None) for keyword in node.keywords)
    return of_torch and node.func.attr in _MAKERS and not placed


if __name__ == "__main__":
    counts = Counter(case.label for case in cases() if applies_on_cuda(case))
    print(", ".join(f"{count} {label}" for label, count in sorted(counts.items())))
