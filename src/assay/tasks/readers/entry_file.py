"""Entry file: what is put before a candidate's own files, so that a foreign form has `ModelNew`.

The rule: the author's files keep their text; the main one is called `submission`, because the file
that defines the entry is the one that is imported first. A candidate that has an entry is left as
it is, and one that lacks the function fails where the entry file imports it.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from assay.data.candidate import Candidate, SourceFile
from assay.languages.candidate_file import ENTRY, defines_entry
from assay.languages.language_registry import detect_language
from assay.tasks.readers.function_call import FunctionCall

SUBMISSION = "submission"  # stem of the author's main file
_ENTRY_FILE = "entry.py"

# Compiled in the sandbox; flags are those of the format. The name is neutral.
_EXTENSION = """\
import os

from torch.utils.cpp_extension import load

_here = os.path.dirname(os.path.abspath(__file__))
{name} = load(
    name="{stem}",
    sources=[{sources}],
    extra_cuda_cflags={flags!r},
    extra_include_paths=[_here],
)
"""


def has_entry(candidate: Candidate) -> bool:
    """Whether some file of it defines `ModelNew`."""
    return any(defines_entry(file) for file in candidate.sources)


def with_entry(candidate: Candidate, text: str) -> Candidate:
    """The candidate behind an entry file of that text, which imports `submission`."""
    main, *others = candidate.sources
    renamed = main.model_copy(update={"path": SUBMISSION + PurePosixPath(main.path).suffix})
    sources = (SourceFile(path=_ENTRY_FILE, text=text), renamed, *others)
    changes = {"sources": sources, "entry": ENTRY, "language": detect_language(sources)}
    return candidate.model_copy(update=changes)


def with_call(candidate: Candidate, call: FunctionCall) -> Candidate:
    """The candidate behind a `ModelNew` that calls its function."""
    if has_entry(candidate):
        return candidate
    imported = f"import torch\n\nfrom {SUBMISSION} import {call.function}\n\n\n"
    return with_entry(candidate, imported + call.module_class(ENTRY))


def extension_text(candidate: Candidate, name: str, flags: tuple[str, ...]) -> str:
    """Source that compiles the candidate's CUDA or C++ files into the extension `name`."""
    main, *others = (file.path for file in candidate.sources)
    suffix = PurePosixPath(main).suffix
    units = [SUBMISSION + suffix, *(path for path in others if path.endswith((".cu", ".cpp")))]
    return _EXTENSION.format(
        name=name,
        stem=SUBMISSION,
        sources=", ".join(f"os.path.join(_here, {unit!r})" for unit in units),
        flags=list(flags),
    )


def is_native(candidate: Candidate) -> bool:
    """Whether no file of it is Python."""
    return not any(file.path.endswith(".py") for file in candidate.sources)
