"""The languages Assay knows, by name; each is imported only when it is asked for.

The rule: an unknown name is the user's mistake and gets the known ones in the answer.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from assay.errors import UsageError
from assay.languages.language import Language

LANGUAGES: dict[str, str] = {
    "torch": "assay.languages.torch_language:TorchLanguage",
    "triton": "assay.languages.triton:TritonLanguage",
    "numba": "assay.languages.numba:NumbaLanguage",
    "cpp": "assay.languages.cpp:CppLanguage",
    "cpp_source": "assay.languages.cpp_source:CppSourceLanguage",
    "cuda": "assay.languages.cuda:CudaLanguage",
}


def language(name: str) -> Language:
    """The adapter of a language."""
    target = LANGUAGES.get(name)
    if target is None:
        raise UsageError(f"unknown language {name!r}; known: {', '.join(LANGUAGES)}")
    module, _, attribute = target.partition(":")
    return cast(Language, getattr(import_module(module), attribute)())
