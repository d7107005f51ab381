"""CUDA C++ compiled without a GPU: nvcc in the compiler sandbox, one entry a kernel.

The rule: torch's headers are replaced by stubs, and where those do not reach, the host functions
are left out. Only a fault in the device code itself is the candidate's; the rest is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from assay.data.observations.compilation import CompiledKernel, CompileOutcome
from assay.languages.architecture import Architecture
from assay.languages.compiler_output import (
    Resources,
    plain_name,
    ptx_entries,
    ptxas_resources,
    sass_functions,
)
from assay.languages.cuda.cuda_device_code import (
    KernelHead,
    device_lines,
    device_only,
    kernel_heads,
)
from assay.languages.cuda.cuda_language import CudaLanguage, find_nvcc
from assay.languages.cuda.cuda_sources import CudaSource
from assay.languages.cuda.cuda_stubs import NAME, needs_torch, stub_files
from assay.languages.cuda.cuda_tools import find_cuobjdump, find_cutlass
from assay.languages.instruction_families import inline_assembly, ptx_families
from assay.profile.compile.compiler_sandbox import CompilerSandbox, ToolResult, message

_UNIT = "kernel.cu"
_STUBS = "stubs"
_HEADERS = "headers"
_ERROR = re.compile(rf"{re.escape(_UNIT)}\((\d+)\): (?:catastrophic )?error", re.MULTILINE)
_NO_HEADER = re.compile(r"fatal error: .*: (?:No such file|Permission denied)|cannot open source")
_CUTLASS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:cute|cutlass)/", re.MULTILINE)
_FILLED_IN = "the source is put together while the candidate runs; it is not known in full"
_NEEDS_TORCH = "needs torch's own headers (a compilation of minutes)"


@dataclass(frozen=True)
class _Unit:
    """One way of compiling a source, and how it went."""

    result: ToolResult
    text: str
    assumed: tuple[str, ...] = ()


class CudaCompiler:
    """Compiles the sources of candidates for one architecture."""

    def __init__(
        self,
        compiler_sandbox: CompilerSandbox,
        arch: Architecture,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._compiler_sandbox = compiler_sandbox
        self._arch = arch
        for path, text in (headers or {}).items():
            compiler_sandbox.put(f"{_HEADERS}/{path}", text.encode("utf-8", "replace"))

    def compile(self, source: CudaSource) -> list[CompiledKernel]:
        """Every kernel of a source."""
        heads = kernel_heads(source.text)
        why = self._why_not(source)
        if why is not None:
            return [self._entry(source, head, CompileOutcome.UNKNOWN, why) for head in heads]
        first = self._as_given(source)
        if first.result.ok:
            return self._kernels(source, first)
        if not needs_torch(source.text):
            outcome, words = self._fault(source, first)
            return [self._entry(source, head, outcome, words) for head in heads]
        second = self._device_only(source)
        if second.result.ok:
            return self._kernels(source, second)
        outcome, words = self._fault(source, second)
        return [self._entry(source, head, outcome, words) for head in heads]

    def _why_not(self, source: CudaSource) -> str | None:
        if self._arch.amd:
            return f"CUDA C++ is compiled for NVIDIA only, not for {self._arch.name}"
        if not source.whole:
            return _FILLED_IN
        return CudaLanguage().available()

    def _as_given(self, source: CudaSource) -> _Unit:
        if not needs_torch(source.text):
            return _Unit(self._nvcc(source, source.text), source.text)
        for path, text in stub_files(source.text).items():
            self._compiler_sandbox.put(f"{_STUBS}/{path}", text.encode())
        result = self._nvcc(source, source.text, "-I", _STUBS, "-include", f"{_STUBS}/{NAME}")
        return _Unit(result, source.text, ("stubs in place of torch's headers",))

    def _device_only(self, source: CudaSource) -> _Unit:
        text = device_only(source.text)
        result = self._nvcc(source, text, "-I", _STUBS, "-include", f"{_STUBS}/{NAME}")
        assumed = ["host functions left out"]
        if any(head.template is not None for head in kernel_heads(source.text)):
            assumed.append("template arguments: float, 32, true")
        return _Unit(result, text, tuple(assumed))

    def _nvcc(self, source: CudaSource, text: str, *more: str) -> ToolResult:
        nvcc = find_nvcc()
        assert nvcc is not None, "asked after it was found"
        self._compiler_sandbox.put(_UNIT, text.encode("utf-8", "replace"))
        folder = source.file.path.rpartition("/")[0]
        standard = () if any(f.startswith("-std") for f in source.flags) else ("-std=c++17",)
        return self._compiler_sandbox.run(
            nvcc,
            "-cubin",
            *("-gencode", self._arch.code_generation),
            *("-Xptxas", "-v", "--keep", "-diag-suppress", "177", "-o", "kernel.cubin"),
            *("-I", _HEADERS, "-I", f"{_HEADERS}/{folder}"),
            *_cutlass(source),
            *standard,
            *source.flags,
            *more,
            _UNIT,
        )

    def _fault(self, source: CudaSource, unit: _Unit) -> tuple[CompileOutcome, str]:
        """Whose fault it is that nvcc refused."""
        words = message(unit.result.output, (self._compiler_sandbox.folder,))
        if _NO_HEADER.search(unit.result.output):
            mend = " (pip install nvidia-cutlass)" if _CUTLASS.search(source.text) else ""
            return CompileOutcome.UNKNOWN, f"a header is not on this machine{mend}: {words}"
        if not needs_torch(source.text):
            return CompileOutcome.FAILED, words
        lines = {int(number) for number in _ERROR.findall(unit.result.output)}
        rows = source.text.splitlines()
        ours = lines <= device_lines(source.text)
        torch = any(needs_torch(rows[n - 1]) or "scalar_t" in rows[n - 1] for n in lines if ours)
        if lines and ours and not torch:
            return CompileOutcome.FAILED, words
        return CompileOutcome.UNKNOWN, f"{_NEEDS_TORCH}: {words}"

    def _kernels(self, source: CudaSource, unit: _Unit) -> list[CompiledKernel]:
        ptx, cubin = (
            self._compiler_sandbox.take("kernel.ptx"),
            self._compiler_sandbox.take("kernel.cubin"),
        )
        entries = ptx_entries(ptx.decode("utf-8", "replace"))
        resources = ptxas_resources(unit.result.output)
        sass = disassembled(self._compiler_sandbox, "kernel.cubin")
        heads = {head.name: head for head in kernel_heads(source.text)}
        found = []
        for symbol, text in entries.items():
            name = plain_name(symbol)
            head = heads.get(name, KernelHead(name, 1, None))
            used = resources.get(symbol, Resources())
            code = None if sass is None else sass.get(symbol, "")
            entry = self._entry(source, head, CompileOutcome.COMPILED, "")
            changes = {
                "symbol": symbol,
                "assumed": (*unit.assumed, *(f"flag {flag}" for flag in source.flags)),
                **asdict(used),
                "instructions": (*ptx_families(text, code), *inline_assembly(text)),
                "assembly_bytes": len(ptx),
                "binary_bytes": len(cubin),
            }
            found.append(entry.model_copy(update=changes))
        seen = {kernel.name for kernel in found}
        missing = "it is in no binary: a template that nothing here instantiates, or only declared"
        return found + [
            self._entry(source, head, CompileOutcome.UNKNOWN, missing)
            for name, head in heads.items()
            if name not in seen
        ]

    def _entry(
        self, source: CudaSource, head: KernelHead, outcome: CompileOutcome, words: str
    ) -> CompiledKernel:
        return CompiledKernel(
            name=head.name,
            arch=self._arch.name,
            language=CudaLanguage.name,
            outcome=outcome,
            where=source.where(head.name, head.line),
            message=words,
        )


def _cutlass(source: CudaSource) -> tuple[str, ...]:
    """Where CUTLASS's headers are, for a source that asks for them."""
    folder = find_cutlass() if _CUTLASS.search(source.text) else None
    return ("-I", folder, "--expt-relaxed-constexpr") if folder else ()


def disassembled(compiler_sandbox: CompilerSandbox, cubin: str) -> dict[str, str] | None:
    """Machine code by symbol, or None where no disassembler is here that knows the code."""
    tool = find_cuobjdump()
    if tool is None:
        return None
    result = compiler_sandbox.run(tool, "-sass", cubin)
    return sass_functions(result.output) if result.ok else None
