"""Entry files: a function of a candidate's becomes `ModelNew`, and the author's text stays."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import torch

from assay.data.candidate import Candidate
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.readers.entry_file import extension_text, has_entry, is_native, with_call
from assay.tasks.readers.function_call import FunctionCall, recorded_call

CALL = FunctionCall("scale", "scale(x, by=self.by, parts=[y, x])", ("x", "y"), ("by",))
AUTHOR = "import torch\ndef scale(x, by, parts):\n    return x * by + parts[0]\n"


def _entry(candidate: Candidate) -> ModuleType:
    module = ModuleType("submission")
    exec(candidate.sources[1].text, vars(module))
    sys.modules["submission"] = module
    entry = ModuleType("entry")
    try:
        exec(candidate.main.text, vars(entry))
    finally:
        del sys.modules["submission"]
    return entry


def test_the_entry_calls_the_authors_function() -> None:
    made = with_call(candidate_of_text(AUTHOR), CALL)
    assert [file.path for file in made.sources] == ["entry.py", "submission.py"]
    assert made.sources[1].text == AUTHOR and made.entry == "ModelNew"
    model = _entry(made).ModelNew(3.0)
    x, y = torch.ones(2), torch.full((2,), 5.0)
    assert torch.equal(model(x, y), torch.full((2,), 8.0))


def test_a_candidate_with_an_entry_is_left_as_it_is() -> None:
    own = candidate_of_text("class ModelNew: ...\n")
    assert has_entry(own) and with_call(own, CALL) is own


def test_a_call_is_found_again_in_the_source() -> None:
    assert recorded_call(f"x = 1\n{CALL.record()}") == CALL
    assert recorded_call("x = 1\n") is None


def test_a_bare_cuda_file_is_compiled_by_the_entry() -> None:
    candidate = candidate_of_text("#include <torch/extension.h>\n__global__ void k() {}\n")
    assert is_native(candidate)
    text = extension_text(candidate, "extension", ("-O3",))
    compile(text, "entry.py", "exec")
    suffix = Path(candidate.main.path).suffix
    assert f"'submission{suffix}'" in text and "extra_cuda_cflags=['-O3']" in text
