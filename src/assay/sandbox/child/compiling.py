"""Compiling in the candidate's process: tools that the host names, and Triton ahead of time.

The rule: nothing is launched. The module is imported, since a Triton kernel is a Python object, and
what it then says of itself is testimony.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from assay.languages.triton.triton_launch import repair_driver
from assay.languages.triton.triton_signature import CONSTANT, DIVISOR, LanguageType, TritonLaunch
from assay.sandbox.protocol.requests import CompileTriton, RunTool

_TIMED_OUT = 124
_WIDTHS = ("fp32", "fp16")  # of the floats behind pointers, in the order they are tried


def run_tool(request: RunTool) -> int:
    """Run it to its end or its limit; the exit code."""
    os.makedirs(request.folder, exist_ok=True)
    with open(request.output, "wb") as output:
        try:
            return subprocess.run(
                request.arguments,
                cwd=request.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=request.seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return _TIMED_OUT


class TritonModule:
    """The candidate's modules, imported for one target."""

    def __init__(self, path: str, target: tuple[str, int | str, int]) -> None:
        self._root = os.path.dirname(path)
        self._modules: dict[str, ModuleType] = {}
        self._target = target
        repair_driver(target)
        sys.path.append(self._root)
        self._module("kernel.py")

    def compile(self, request: CompileTriton) -> str:
        """Write assembly and binary; what was assumed, a line each, after the shared memory."""
        kernel, launch = self._found(request.launch)
        failures: list[Exception] = []
        for width in _WIDTHS:
            chosen = launch.with_pointers_to(width)
            try:
                compiled = self._compiled(kernel, chosen)
            except Exception as error:  # the compiler's words; the first say most
                failures.append(error)
                continue
            assembly, binary = ("amdgcn", "hsaco") if self._target[0] == "hip" else ("ptx", "cubin")
            Path(request.assembly).write_text(compiled.asm[assembly])
            Path(request.binary).write_bytes(compiled.asm[binary])
            shared = int(compiled.metadata.shared)
            return "\n".join((str(shared), *chosen.assumed()))
        raise Uncompiled(_words(failures[0]))

    def _found(self, launch: TritonLaunch) -> tuple[Any, TritonLaunch]:
        """The jit function below its autotuner and heuristics, and what these decide."""
        found = getattr(self._module(launch.file or "kernel.py"), launch.kernel, None)
        if found is None:
            raise AttributeError(f"{launch.kernel} is not defined when the file has been imported")
        from triton.runtime.jit import JITFunction

        while not isinstance(found, JITFunction):
            if getattr(found, "configs", None):
                first = found.configs[0]
                options = {"num_warps": first.num_warps, "num_stages": first.num_stages}
                launch = launch.configured(first.kwargs, options)
            launch = launch.decided(getattr(found, "values", {}))
            found = found.fn
        return found, launch

    def _compiled(self, kernel: Any, launch: TritonLaunch) -> Any:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        places = {name: number for number, name in enumerate(kernel.arg_names)}
        constants = {
            (places[one.name],): _constant(one.value)
            for one in launch.parameters
            if one.kind == CONSTANT
        }
        hints = {
            (places[one.name],): [["tt.divisibility", DIVISOR]]
            for one in launch.parameters
            if one.divisible
        }
        kinds = {one.name: one.kind for one in launch.parameters}
        source = ASTSource(kernel, {n: kinds[n] for n in kernel.arg_names}, constants, hints)
        return triton.compile(source, target=GPUTarget(*self._target), options=dict(launch.options))

    def _module(self, path: str) -> ModuleType:
        if path not in self._modules:
            name = path.removesuffix(".py").replace("/", ".")
            spec = importlib.util.spec_from_file_location(name, f"{self._root}/{path}")
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            self._modules[path] = module
        return self._modules[path]


def _constant(value: Any) -> Any:
    if isinstance(value, LanguageType):
        import triton.language

        return getattr(triton.language, value.name)
    return value


class Uncompiled(Exception):
    """Triton refused the kernel; the text holds its words."""


def _words(error: BaseException) -> str:
    """What is wrong first, and then where: Triton says it the other way round."""
    lines = str(error).strip().splitlines() or [""]
    causes = [f"{type(step).__name__}: {step}" for step in (error.__cause__,) if step is not None]
    first = f"{type(error).__name__}: {lines[-1]}"
    return "\n".join([first, *lines[:-1], *causes])
