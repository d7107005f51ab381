"""Compile only: what compilers make of a candidate for a named architecture, GPU or no GPU here.

The rule: the candidate's texts are found by reading; what has to be executed for it, compilers and
the import of a Triton module, happens behind the wall.
"""

from __future__ import annotations

import contextlib
import subprocess
from importlib.metadata import PackageNotFoundError, version

from assay.data.candidate import Candidate
from assay.data.observations.compilation import CompiledKernel, CompileReport
from assay.languages.architecture import Architecture, architecture
from assay.languages.cuda.cuda_language import find_nvcc
from assay.languages.cuda.cuda_sources import CudaSource, cuda_sources
from assay.languages.cuda.cuda_tools import CUTLASS_PACKAGE, find_cutlass, toolkit_folder
from assay.languages.triton.triton_kernels import triton_launches
from assay.languages.triton.triton_signature import TritonLaunch
from assay.profile.compile.compiler_sandbox import CompilerSandbox
from assay.profile.compile.cuda_compiler import CudaCompiler
from assay.profile.compile.triton_compiler import TritonCompiler
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.wall import SandboxExtras, SandboxLimits, Wall

_NOTHING = "no CUDA or Triton kernel was found in it"
_HEADER_SUFFIXES = (".cuh", ".h", ".hpp")
_SECONDS = 120.0  # for one kernel or source


def compile_only(candidate: Candidate, arch: str) -> CompileReport:
    """One candidate for one architecture."""
    with AheadOfTimeCompiler() as compiler:
        return compiler.compile(candidate, architecture(arch))


class AheadOfTimeCompiler:
    """Compiles many; its wall is raised when the first kernel is found. Closing it ends that."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._wall: Wall | None = None

    def __enter__(self) -> AheadOfTimeCompiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """The next kernel raises another wall."""
        if self._wall is not None:
            self._wall.close()
        self._wall = None

    def compile(self, candidate: Candidate, arch: Architecture) -> CompileReport:
        """Every kernel of a candidate."""
        sources, launches = cuda_sources(candidate), triton_launches(candidate)
        report = CompileReport(candidate_id=candidate.id, arch=arch.name)
        if not sources and not launches:
            return report.model_copy(update={"reason": _NOTHING})
        try:
            kernels = self._kernels(candidate, arch, sources, launches)
        except (
            ProcessLost
        ) as lost:  # a compiler that ate all its room takes the compiler sandbox with it
            return report.model_copy(update={"reason": f"the compilation ended: {lost.text}"})
        compilers = _compilers(bool(sources), bool(launches))
        return report.model_copy(update={"kernels": tuple(kernels), "compilers": compilers})

    def _kernels(
        self,
        candidate: Candidate,
        arch: Architecture,
        sources: tuple[CudaSource, ...],
        launches: tuple[TritonLaunch, ...],
    ) -> list[CompiledKernel]:
        wall = self._raised()
        compiler_sandbox = CompilerSandbox(wall, self._seconds)
        try:
            cuda = CudaCompiler(compiler_sandbox, arch, _headers(candidate))
            found = [kernel for source in sources for kernel in cuda.compile(source)]
            if launches:
                triton = TritonCompiler(wall, compiler_sandbox, arch, self._seconds)
                found += triton.compile(candidate, launches)
            return found
        finally:
            compiler_sandbox.close()

    def _raised(self) -> Wall:
        if self._wall is None:
            folders = (toolkit_folder(), find_cutlass())
            extras = SandboxExtras(
                modules=("triton", "triton.language", "triton.compiler"),
                readable=tuple(folder for folder in folders if folder),
                packages=(CUTLASS_PACKAGE,),
                environment=(("TRITON_INTERPRET", "0"),),  # read when triton is imported
            )
            self._wall = Wall(extras, SandboxLimits())
        return self._wall


def _headers(candidate: Candidate) -> dict[str, str]:
    named = (file for file in candidate.sources if file.path.endswith(_HEADER_SUFFIXES))
    return {file.path: file.text for file in named}


def _compilers(cuda: bool, triton: bool) -> tuple[str, ...]:
    """Those asked for and found here, with their versions."""
    found = []
    nvcc = find_nvcc() if cuda else None
    if nvcc is not None:
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
        found.append("nvcc " + (done.stdout.rpartition("release ")[2].partition("\n")[0] or "?"))
    if triton:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"triton {version('triton')}")
    return tuple(found)
