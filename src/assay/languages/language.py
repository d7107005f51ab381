"""Language: the contract every language adapter keeps.

The rule: whatever the rest of Assay does differently for a language, it asks here; nobody else
compares a language's name. An adapter holds no secret: it is loaded in the candidate's process too.
Other distributions add their own in the entry-point group `assay.languages`
(name = "module:Class"); what a class leaves out is what plain torch needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # an adapter is loaded in the candidate's process, and records are not
    from assay.data.candidate import Candidate
    from assay.languages.source_use import SourceUse

MAIN = "kernel.py"  # the file that the candidate's process imports


class KernelTarget(Protocol):
    """What a language may ask about the device that kernels are to run on."""

    @property
    def torch_device(self) -> str:
        """What the candidate's own torch calls it: `cpu`, `cuda`."""

    @property
    def accelerated(self) -> bool:
        """True where kernels run on a device with a memory of its own."""


class Language:
    """What the rest of Assay needs to know about a language. Made without arguments."""

    name: str  # in `Candidate.language`
    specificity: int = 50  # of several languages that a candidate uses the most specific counts
    suffixes: tuple[str, ...] = ()  # of files besides .py that a candidate may hold
    native: bool = False  # a bare C or C++ source, whose entry is its function `forward`
    preload: tuple[str, ...] = ("torch",)  # libraries worth importing in the warm parent
    child_modules: tuple[str, ...] = ()  # that `prepare` and `silence` import, loaded there too
    tools: tuple[str, ...] = ()  # packages that compile, load and call a candidate's kernels
    packages: tuple[str, ...] = ()  # others that its candidates need; hidden from all others
    tool_folders: tuple[str, ...] = ()  # of its programs: on PATH, and readable
    kernel_makers: frozenset[str] = frozenset()  # dotted names; what they decorate is a kernel
    extension_makers: frozenset[str] = frozenset()  # dotted names; they compile native sources
    builds_extensions: bool = False  # candidates may build torch extensions from C++ or CUDA
    compile_cache: str = ""  # in the home folder, of a compiler that works at the first call
    untimed: str = ""  # why an interpreter's time is not reported

    def available(self) -> str | None:
        """None where it can be used here, else what is missing and the line that installs it.

        Nothing is imported to answer it.
        """
        return None

    def detect(self, use: SourceUse) -> bool:
        """Whether a candidate is written in it, from parsed sources, never from words."""
        return False

    def suffix_of(self, text: str) -> str | None:
        """The suffix of a file for this text, where it is a bare source of the language."""
        return None

    def files(self, candidate: Candidate) -> Mapping[str, str]:
        """What is laid out in the sandbox, by path; `MAIN` defines the entry."""
        more = {file.path: file.text for file in candidate.sources[1:]}
        return {MAIN: candidate.main.text, **more}

    def leading_headers(self, candidate: Candidate) -> str:
        """The includes that a single native source begins with, where they may be precompiled."""
        return ""

    def interpreted(self, target: KernelTarget) -> bool:
        """True where its kernels are interpreted there, so that time says nothing."""
        return False

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """Variables of the candidate's process; caches go below `home`, which is private."""
        return {}

    def prepare(self, interpreted: bool) -> None:
        """In the candidate's process, before its file is imported."""

    def silence(self) -> Callable[[], int]:
        """There too: make launches of kernels do nothing from now on; the answer counts them."""
        return lambda: 0

    def lacks(self, message: str) -> str | None:
        """That its interpreter cannot run something, where a candidate's message tells of that."""
        return None


def missing_module(module: str, install: str) -> str | None:
    """What to say about a Python package that is not installed; it is looked for, not imported."""
    if find_spec(module) is not None:
        return None
    return f"{module} is not installed; install it with: {install}"
