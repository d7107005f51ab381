"""The languages Assay knows, by name; each is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.candidate import SourceFile
from assay.languages.language import KernelTarget, Language
from assay.languages.source_use import SourceUse
from assay.plugins import Registry

LANGUAGES: Registry[Language] = Registry(
    Language,
    "assay.languages",
    {
        "torch": "assay.languages.torch_language:TorchLanguage",
        "triton": "assay.languages.triton.triton_language:TritonLanguage",
        "numba": "assay.languages.numba_language:NumbaLanguage",
        "cpp": "assay.languages.cpp_language:CppLanguage",
        "cpp_source": "assay.languages.cpp_source:CppSourceLanguage",
        "cuda": "assay.languages.cuda.cuda_language:CudaLanguage",
    },
)


def language(name: str) -> Language:
    """The adapter of a language; a UsageError lists the known ones."""
    return LANGUAGES.get(name)


def detect_language(sources: Iterable[SourceFile]) -> str:
    """What the kernels are written in: of all languages in use the most specific."""
    use = SourceUse(tuple(sources))
    found = [one for one in LANGUAGES.working() if one.detect(use)]
    return max(found, key=lambda one: one.specificity).name


def source_suffixes() -> tuple[str, ...]:
    """Of every file that a candidate may hold."""
    found = [".py", *(suffix for one in LANGUAGES.working() for suffix in one.suffixes)]
    return tuple(dict.fromkeys(found))


def child_environment(target: KernelTarget, home: str) -> dict[str, str]:
    """What all languages set, the same for every candidate; ours have the last word."""
    found: dict[str, str] = {}
    for one in reversed(LANGUAGES.working()):
        found |= one.environment(target, home)
    return found


def needed_packages(sources: Iterable[SourceFile], name: str) -> tuple[str, ...]:
    """What a candidate's languages declare: the one it carries, and others that it uses."""
    use = SourceUse(tuple(sources))
    known = LANGUAGES.working()
    used = [one for one in known if one.name == name or one.detect(use)]
    used += [one for one in known if use.roots & set(one.packages)]
    return tuple(dict.fromkeys(package for one in used for package in one.packages))


def tool_packages() -> tuple[str, ...]:
    """What compiles, loads and calls kernels, of every language: shown to all candidates."""
    return tuple(dict.fromkeys(name for one in LANGUAGES.working() for name in one.tools))


def adapter_modules() -> tuple[str, ...]:
    """The adapters themselves."""
    return tuple(type(one).__module__ for one in LANGUAGES.working())


def child_modules() -> tuple[str, ...]:
    """What adapters import in the candidate's process."""
    return tuple(name for one in LANGUAGES.working() for name in one.child_modules)
