"""Candidates from source text: Python, or C++ where it includes headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text, load_candidate

PYTHON = 'import torch\n\nSOURCE = """\n#include <cmath>\n"""\n\nclass ModelNew: ...\n'
CPP = '#include <cmath>\n\nextern "C" void forward(const float* x, float* out) {}\n'


@pytest.mark.parametrize(("text", "suffix"), [(PYTHON, ".py"), (CPP, ".cpp"), ("x = \n", ".py")])
def test_text_is_what_the_same_file_is(text: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"name{suffix}"
    path.write_text(text)
    made, loaded = candidate_of_text(text), load_candidate(path)
    assert (made.id, made.sources, made.language) == (loaded.id, loaded.sources, loaded.language)


def test_bare_cpp_is_known(tmp_path: Path) -> None:
    assert candidate_of_text(CPP).language == "cpp_source"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match="not text"):
        candidate_of_text("x = '\ud800'\n")
