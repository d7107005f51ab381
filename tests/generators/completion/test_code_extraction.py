"""What models write, and the candidate in it."""

from __future__ import annotations

import pytest

from assay.generators.candidate_source import NoCandidate
from assay.generators.completion.code_extraction import Extracted, extract

MAIN = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
"""
BARE = """#include "assay.h"
extern "C" const char* forward(const assay_tensor*) { return nullptr; }
"""


def source(text: str, cut_off: bool = False, parent: str = "") -> str:
    found = extract(text, cut_off, parent)
    assert isinstance(found, Extracted), found
    return found.candidate.main.text


def reason(text: str, cut_off: bool = False, parent: str = "") -> str:
    found = extract(text, cut_off, parent)
    assert isinstance(found, NoCandidate), found
    return found.reason


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{MAIN}```",
        f"Sure!\n\n```py\n{MAIN}```\nThat is all.",
        f"~~~~\n{MAIN}~~~~",
        f"```python kernel.py\n{MAIN}```",
        f"```Python\r\n{MAIN}```".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"<think>maybe\n```python\nclass ModelNew: ...\n```\n</think>\n```python\n{MAIN}```",
        f"so I think\n</think>\n```python\n{MAIN}```",
        f"```python\nclass ModelNew:\n    draft = 1\n```\nBetter:\n```python\n{MAIN}```",
        f"```python\n{MAIN}```\nTry it:\n```python\nmodel = ModelNew()\nprint(model)\n```",
        f"```bash\npip install triton\n```\n```python\n{MAIN}```",
        f"```python\n{MAIN}",
        f"Here is the code.\n\n{MAIN}",
        f"Here is the code.\n\n{MAIN}\nThis runs well on any GPU, doesn't it?\n\nBye.",
        MAIN,
        f"1. First\n\n   ```python\n{MAIN}   ```",
    ],
)
def test_the_candidate_is_found(text: str) -> None:
    assert source(text).strip() == MAIN.strip()


def test_a_bare_source_is_a_candidate() -> None:
    found = extract(f"```cpp\n{BARE}```")
    assert isinstance(found, Extracted)
    assert found.candidate.language == "cpp_source"
    assert source(f"```cpp\n{BARE}```\n```python\n{MAIN}```") == MAIN, (
        "Python that defines the entry"
    )


def test_a_syntax_error_is_the_candidates_own() -> None:
    broken = MAIN + "def (:\n"
    assert source(f"```python\n{broken}```") == broken


@pytest.mark.parametrize(
    ("text", "cut_off", "why"),
    [
        ("", False, "empty"),
        ("I cannot do that.", False, "no code that defines ModelNew"),
        ("<think>Let me see, a kernel", True, "still thinking"),
        ("```python\ndef kernel(x):\n    return x\n```", False, "it defines kernel"),
        (f"```python\n{MAIN}    def half(self", True, "cut off inside its code"),
        (f"```python\n{MAIN}    def half(self", False, "cut off inside its code"),
        ("```python\nimport torch\n", True, "cut off before it defined ModelNew"),
        (f"```cpp\n{BARE[:-4]}", True, "cut off"),
    ],
)
def test_there_is_none_and_the_reason_says_why(text: str, cut_off: bool, why: str) -> None:
    assert why in reason(text, cut_off)


def test_an_earlier_whole_block_serves_where_the_last_was_cut_off() -> None:
    assert source(f"```python\n{MAIN}```\nFaster:\n```python\nclass ModelNew(", True) == MAIN


def test_files_that_the_main_one_mentions_come_along() -> None:
    main = MAIN.replace("import torch\n", "import torch\nfrom tiles import pick\n")
    text = (
        f"**tiles.py**\n```python\ndef pick(): return 3\n```\n"
        f"```cpp\n// wrapper.cpp\nint unused;\n```\n"
        f"```python\n# file: ../escape.py\ntiles = 1\n```\n"
        f"`kernel.py`:\n```python\n{main}```"
    )
    found = extract(text)
    assert isinstance(found, Extracted)
    assert [one.path for one in found.candidate.sources] == ["kernel.py", "tiles.py"]


def test_words_around_the_code_are_kept() -> None:
    found = extract(f"I tile by rows.\n```python\n{MAIN}```\nExpect 2x.")
    assert isinstance(found, Extracted)
    assert found.words == "I tile by rows.\nExpect 2x."


EDIT = "<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n"


def test_edits_are_made_in_order() -> None:
    text = EDIT.format("        return x\n", "        y = x\n        return x\n")
    text += "```\n" + EDIT.format("        y = x\n", "        y = x * 1\n") + "```\n"
    assert "y = x * 1" in source(text, parent=MAIN)


def test_spaces_at_the_ends_of_lines_do_not_matter() -> None:
    text = EDIT.format("        return x   \n", "        return 2 * x\n")
    assert "return 2 * x" in source(text, parent=MAIN)


@pytest.mark.parametrize(
    ("text", "parent", "why"),
    [
        (EDIT.format("return y\n", "return z\n"), MAIN, "not in the parent"),
        (EDIT.format("        return x\n", "pass\n"), MAIN * 2, "2 times"),
        (EDIT.format("\n", "f\n"), MAIN, "searches for nothing"),
        (EDIT.format("return x\n", "return z\n"), "", "there is none"),
        (EDIT.format("return x\n", "return z\n")[:40], MAIN, "cut off"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(text: str, parent: str, why: str) -> None:
    assert why in reason(text, parent=parent)
