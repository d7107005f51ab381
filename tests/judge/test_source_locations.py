"""Places are told by the path that the user typed, not by the sandbox's neutral name."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.judge.source_locations import of_user

FILE = Candidate(
    name="work/my kernel.py",
    language="torch",
    sources=(SourceFile(path="kernel.py", text=""),),
)
CPP = Candidate(
    name="sum.cpp",
    language="cpp_source",
    sources=(SourceFile(path="kernel.cpp", text=""),),
)
FOLDER = Candidate(
    name="mine/",
    language="torch",
    sources=(SourceFile(path="main.py", text=""), SourceFile(path="ops/main.py", text="")),
)


@pytest.mark.parametrize(
    ("candidate", "text", "told"),
    [
        (FILE, "kernel.py:5", "work/my kernel.py:5"),
        (FILE, 'File "/scratch/kernel/kernel.py", line 4', 'File "work/my kernel.py", line 4'),
        (FILE, 'File "/tmp/a-b/kernel/kernel.py", line 4', 'File "work/my kernel.py", line 4'),
        (FILE, "my_kernel.py:5 and kernel.py", "my_kernel.py:5 and kernel.py"),
        (FILE, 'File "/usr/lib/kernel.py", line 1', 'File "/usr/lib/kernel.py", line 1'),
        (CPP, "/scratch/kernel/kernel.cpp:2:9: error", "sum.cpp:2:9: error"),
        (CPP, "./kernel.cpp:1:10: fatal error", "sum.cpp:1:10: fatal error"),
        (CPP, "kernel.py:3", "kernel.py:3"),  # the module that loads it is ours
        (FOLDER, "ops/main.py:3, main.py:4", "mine/ops/main.py:3, mine/main.py:4"),
        (FOLDER, 'File "/scratch/kernel/kernel.py", line 9', 'File "mine/main.py", line 9'),
    ],
)
def test_places_are_the_users(candidate: Candidate, text: str, told: str) -> None:
    assert of_user(text, candidate) == told
