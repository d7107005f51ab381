"""A candidate from source text: Python, or C++ where it includes headers."""

from __future__ import annotations

import re

from assay.data.candidate import Candidate, SourceFile
from assay.errors import UsageError
from assay.languages.candidate_file import detect_language

_NAME = "source text"
_CPP_LINE = re.compile(r'^\s*(?:#\s*include\s*[<"]|extern\s+"C")', re.MULTILINE)
_PYTHON_LINE = re.compile(r"^(?:import|from|class|def)\s+\w", re.MULTILINE)


def candidate_of_text(text: str) -> Candidate:
    """One file under the neutral name that a single file always gets."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the candidate's source is not text: {error.reason}") from error
    bare = _CPP_LINE.search(text) is not None and _PYTHON_LINE.search(text) is None
    sources = (SourceFile(path="kernel.cpp" if bare else "kernel.py", text=text),)
    return Candidate(name=_NAME, language=detect_language(sources), sources=sources)
