"""A candidate from source text: Python, or the bare source of a language that knows it."""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.errors import UsageError
from assay.languages.registry import LANGUAGES, detect_language

_NAME = "source text"


def candidate_of_text(text: str) -> Candidate:
    """One file under the neutral name that a single file always gets."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the candidate's source is not text: {error.reason}") from error
    bare = (one.suffix_of(text) for one in LANGUAGES.working())
    suffix = next((suffix for suffix in bare if suffix), ".py")
    sources = (SourceFile(path=f"kernel{suffix}", text=text),)
    return Candidate(name=_NAME, language=detect_language(sources), sources=sources)
