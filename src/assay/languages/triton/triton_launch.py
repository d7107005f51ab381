"""What a launch hands to an interpreted Triton kernel, and what a file may ask of the driver.

The rule: an argument is to the kernel what it is on the hardware; what only a device could answer
is refused by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def repair_constexpr_spelling(interpreter: Any) -> None:
    """`"tl.constexpr"` in quotes and constexpr under another module's name are constants too.

    Rewritten kernels carry their annotations as text, of which only `tl.constexpr` is recognised.
    """
    executor = interpreter.GridExecutor
    original = executor.__init__
    if "constexprs" not in inspect.getsource(original):
        raise AttributeError("constexprs")

    def initialise(self: Any, fn: Any, arg_names: Any, *rest: Any) -> None:
        original(self, fn, arg_names, *rest)
        spelled = {name for name, text in fn.__annotations__.items() if "constexpr" in str(text)}
        self.constexprs = [name for name in arg_names if name in spelled or name in self.constexprs]

    executor.__init__ = initialise


def repair_float_argument(interpreter: Any, numpy: Any, tl: Any) -> None:
    """A float handed to a kernel is a float32 value to the hardware, and a Python number here.

    So `eps.to(tl.float32)` fails, and `x * scale` of half-precision `x` stays half: the compiler
    widens both to float32.
    """
    original = interpreter._implicit_cvt

    def convert(argument: Any) -> Any:
        if not isinstance(argument, float):
            return original(argument)
        handle = interpreter.TensorHandle(numpy.array([argument], numpy.float32), tl.float32)
        return tl.tensor(handle, tl.float32)

    interpreter._implicit_cvt = convert


def repair_pointers(interpreter: Any) -> None:
    """Whatever has an address and a dtype is a pointer to the compiler, whether a tensor or not.

    The interpreter copies each argument to the host first, which asks it for a tensor's methods.
    Here every argument lies in the host's memory already.
    """
    executor = interpreter.GridExecutor
    if not hasattr(executor, "_init_args_hst"):
        raise AttributeError("_init_args_hst")
    executor._init_args_hst = lambda self, args, kwargs: (list(args), dict(kwargs))
    executor._restore_args_dev = lambda self, *_: None


def repair_driver(target: tuple[str, int | str, int] = ("cpu", 0, 32)) -> None:
    """Kernels ask the active driver for its target or torch device when they are imported."""
    import torch
    from triton.backends.compiler import GPUTarget
    from triton.backends.driver import DriverBase
    from triton.runtime import driver

    if driver.__class__.__name__ != "DriverConfig":
        raise AttributeError("DriverConfig")
    answers = {
        "get_current_target": lambda self: GPUTarget(*target),
        "get_active_torch_device": lambda self: torch.device("cpu"),
        "get_current_device": lambda self: 0,
    }
    asked = {name: _unanswered(name) for name in DriverBase.__abstractmethods__} | answers
    driver.set_active(type("InterpreterDriver", (DriverBase,), asked)())


def _unanswered(name: str) -> Callable[..., Any]:
    def method(*_: Any) -> Any:
        raise RuntimeError(f"{name}: there is no device here")

    return method
