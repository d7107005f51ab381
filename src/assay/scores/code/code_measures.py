"""Code measures: the source of one candidate, Python and native."""

from __future__ import annotations

from assay.data.candidate import Candidate
from assay.data.scoring.score_analysis import CodeMeasures
from assay.errors import UsageError
from assay.scores.code.native_code import native_code
from assay.scores.code.python_code import native_texts_in, python_code


def code_measures(candidate: Candidate, accepted: bool) -> CodeMeasures:
    """Every file of it; C++ and CUDA in strings of a Python file are native code too."""
    texts = [file.text for file in candidate.sources if file.path.endswith(".py")]
    native = [file.text for file in candidate.sources if not file.path.endswith(".py")]
    native += [one for text in texts for one in native_texts_in(text)]
    machine, reason = native_code(native), ""
    try:
        found = python_code(texts)
        reason = "the Python source does not parse" if found is None and texts else ""
    except UsageError as error:
        found, reason = None, str(error)
    return CodeMeasures(
        candidate_id=candidate.id,
        accepted=accepted,
        python_lines=found.lines if found else 0,
        maintainability=found.maintainability if found else None,
        complexity_mean=found.complexity_mean if found else None,
        complexity_max=found.complexity_max if found else None,
        native_tokens=machine.tokens if machine else 0,
        native_volume=machine.volume if machine else None,
        native_branches=machine.branches if machine else None,
        reason=reason,
    )
