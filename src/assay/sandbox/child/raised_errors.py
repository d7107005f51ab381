"""Refusal: did the candidate's own check raise, or did something break?

The rule: what is told here may only convict. A `raise` or an `assert` in the candidate's own code,
and an error that its own compiled code throws, are checks; an error out of the interpreter or out
of a library call is none. Where it cannot be told, it counts as a check.
"""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import sysconfig
import traceback
from types import TracebackType
from typing import Any

import torch

_LIBRARY_FOLDERS = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)
_LIBRARIES = {"torch", "numpy", "builtins", "math", "ctypes", "operator", "functools", "itertools"}
_TORCH_NAMESPACES = ("aten", "prims", "prim", "quantized", "mkldnn", "_quantized", "torchvision")
# As torch says it: of glibc, of an allocator of its own, of a device.
_EXHAUSTED = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "CUDA out of memory",
)
_NO_CHECK = (ArithmeticError, LookupError, MemoryError, RecursionError)


def described(error: BaseException) -> str:
    """Class and message; an assertion without a message is described by its own line."""
    text = "".join(traceback.format_exception_only(error)).strip()
    step = _innermost(error)
    if isinstance(error, AssertionError) and not str(error) and step is not None:
        line = linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno).strip()
        return f"{text}: {line}" if line else text
    return text


def is_exhausted(text: str) -> bool:
    """Whether an error's words say that memory ran out."""
    return any(words in text for words in _EXHAUSTED)


def is_own_check(error: BaseException) -> bool:
    """False where an error of the interpreter or of a library came through."""
    try:
        return _is_own_check(error)
    except Exception:  # the candidate's own attributes may raise when looked at
        return True


def _is_own_check(error: BaseException) -> bool:
    if not isinstance(error, Exception) or isinstance(error, _NO_CHECK):
        return False
    if isinstance(error.__cause__ or error.__context__, _NO_CHECK[:1]):
        return False
    step = _innermost(error)
    if step is None:
        return True
    if step.tb_frame.f_code.co_filename.startswith(_LIBRARY_FOLDERS):
        return _is_own_operator(step)
    if dis.opname[step.tb_frame.f_code.co_code[step.tb_lasti]] in ("RAISE_VARARGS", "RERAISE"):
        return True
    return not _is_library_call(step)


def _innermost(error: BaseException) -> TracebackType | None:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step


def _is_own_operator(step: TracebackType) -> bool:
    """A registered operator is called through torch, whoever registered it."""
    if not step.tb_frame.f_code.co_filename.endswith("_ops.py"):
        return False
    operator = step.tb_frame.f_locals.get("self")
    name = getattr(operator, "_qualified_op_name", None) or getattr(operator, "_name", "")
    space = str(name).partition("::")[0]
    return bool(space) and space not in _TORCH_NAMESPACES


def _is_library_call(step: TracebackType) -> bool:
    """Whether the expression that raised is an operator, or a call into a known library."""
    expression = _expression(step)
    if expression is None:
        return False
    if not isinstance(expression, ast.Call):
        return True
    found = _resolve(expression.func, step)
    if found is not None:
        return _package(found) in _LIBRARIES
    method = expression.func.attr if isinstance(expression.func, ast.Attribute) else ""
    return hasattr(torch.Tensor, method)  # of a result of another call: a tensor's, or an array's


def _expression(step: TracebackType) -> ast.expr | None:
    """The expression at which a frame stands, from its source."""
    code = step.tb_frame.f_code
    first, last, start, end = list(code.co_positions())[step.tb_lasti // 2]
    if first is None or last is None or start is None or end is None:
        return None
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _resolve(node: ast.expr, step: TracebackType) -> Any:
    """What a name or a chain of attributes stands for in a frame; None where that is unknown."""
    frame = step.tb_frame
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, vars(builtins)):
            if node.id in names:
                return names[node.id]
        return None
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, step)
        return None if owner is None else getattr(owner, node.attr, None)
    return None


def _package(found: Any) -> str:
    """The top package that a function, or the object that a method is bound to, comes from."""
    module = getattr(found, "__module__", None)
    if not isinstance(module, str):
        module = type(getattr(found, "__self__", found)).__module__
    return module.partition(".")[0]
