"""Names and types that an interpreted Triton kernel finds, as the compiler's front end gives them.

The rule: a function of the language is the same function under any name, and what the compiler
hands to a nested function answers as it does there. What the interpreter lacks (measured on 3.7.1):
it replaces functions of the language in the module `triton.language` alone, so `cast = tl.cast`
keeps the compiler's function, which asks for a compiler; a dtype handed on is a constant to the
compiler, with a `value`; and a decorated function is no `JITFunction`.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable
from typing import Any


def repair_aliases(interpreter: Any, tl: Any) -> None:
    """Functions of the language that a kernel's module binds to names of its own."""
    original = interpreter._patch_lang
    homes = [(owner, name) for owner in (tl.math, tl) for name in dir(owner)]
    known = {id(getattr(*home)): home for home in homes if _of_language(getattr(*home), tl)}

    def patch(function: Any) -> Any:
        names = function.__globals__
        for name, value in list(names.items()):
            if id(value) in known and _of_language(value, tl):
                names[name] = _forwarded(*known[id(value)])
        # The original refuses a kernel that says `triton.language` in full, without a short name.
        return original(types.SimpleNamespace(__globals__={**names, "triton.language": tl}))

    interpreter._patch_lang = patch


def _of_language(member: Any, tl: Any) -> bool:
    return bool(tl.core.is_builtin(member))


def _forwarded(owner: Any, name: str) -> Callable[..., Any]:
    """A function that looks up its name at every call, when the interpreter has replaced it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(owner, name)(*args, **kwargs)

    return call


def repair_dtype_value(tl: Any) -> None:
    """`dtype.value` of a dtype that was handed to a nested function is the dtype."""
    if hasattr(tl.dtype, "value"):
        raise AttributeError("not broken in this version")
    tl.dtype.value = property(lambda dtype: dtype)


def repair_function_type(interpreter: Any, jit: Any) -> None:
    """Libraries that generate kernels check for a `JITFunction` and name files by its key."""
    original = interpreter.InterpretedFunction

    class InterpretedFunction(original):  # type: ignore[misc, valid-type]
        __class__ = property(lambda _: jit.JITFunction)
        cache_key = property(lambda self: _key(self.fn))
        src = property(lambda self: inspect.getsource(self.fn))
        __globals__ = property(lambda self: self.fn.__globals__)

    interpreter.InterpretedFunction = InterpretedFunction


def _key(function: Any) -> str:
    return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
