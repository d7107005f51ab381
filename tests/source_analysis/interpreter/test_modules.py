"""Packages of the candidate's own: whichever way they import each other, they are its own code."""

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import Severity
from assay.data.settings import Track
from assay.source_analysis.analysis import analyse, closing_reductions, findings
from assay.source_analysis.own_modules import absolute_name, file_of, packages_above
from assay.source_analysis.task_facts import Given, small_inputs

KERNEL = """
import torch, triton, triton.language as tl
@triton.jit
def _k(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

def double(x):
    y = torch.empty_like(x)
    _k[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
"""
MODEL = """
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        return CALL(x)
"""


def _candidate(head: str, call: str, files: dict[str, str]) -> Candidate:
    main = SourceFile(path="kernel.py", text=head + MODEL.replace("CALL", call))
    others = [SourceFile(path=path, text=text) for path, text in files.items()]
    return Candidate(name="c", language="triton", sources=(main, *others))


@pytest.mark.parametrize(
    ("head", "call", "files"),
    [
        (
            "from utils import double",
            "double",
            {"utils/__init__.py": "from .ops import double", "utils/ops.py": KERNEL},
        ),
        ("from .helpers import double", "double", {"helpers.py": KERNEL}),
        ("from . import helpers", "helpers.double", {"helpers.py": KERNEL}),
        ("import lib.ops.fast", "lib.ops.fast.double", {"lib/ops/fast.py": KERNEL}),
        (
            "from lib.ops import fast",
            "fast.double",
            {"lib/__init__.py": "", "lib/ops/fast.py": KERNEL},
        ),
        (
            "from lib import double",
            "double",
            {
                "lib/__init__.py": "from lib.a.b import double",
                "lib/a/b.py": "from ..c import double",
                "lib/c.py": KERNEL,
            },
        ),
        (
            "import fla.ops as ops",
            "ops.double",
            {"fla/ops/__init__.py": "from fla.ops.k import double", "fla/ops/k.py": KERNEL},
        ),
    ],
)
def test_own_packages_are_followed(head: str, call: str, files: dict[str, str]) -> None:
    report = analyse(_candidate(head, call, files))
    assert report.result_depends_on_kernel
    found = findings(report, Track.KERNEL)
    assert [e for e in found if e.severity is not Severity.NOTE] == []


def test_a_file_named_like_an_installed_library_does_not_stand_for_it() -> None:
    candidate = _candidate("import numpy as np", "np.matmul", {"numpy.py": KERNEL})
    found = findings(analyse(candidate), Track.KERNEL)
    assert any(e.severity is Severity.CONVICTS for e in found)


def test_names() -> None:
    assert absolute_name("utils", 1, "kernel.py") == ".utils"
    assert absolute_name("c", 2, "lib/a/b.py") == ".lib.c"
    assert absolute_name("", 1, "lib/__init__.py") == ".lib"
    assert packages_above("a.b.c") == ["a", "a.b"]
    assert file_of(".queue", {"queue.py"}) == "queue.py"
    assert file_of("queue", {"queue.py"}) is None


def test_a_hidden_package_is_not_found_before_the_candidates_own_file() -> None:
    assert file_of("pytest", {"pytest.py"}) is None
    assert file_of("pytest", {"pytest.py"}, {"pytest"}) == "pytest.py"
    work = "import torch\ndef work(x):\n    return torch.softmax(x, -1)\n"
    candidate = _candidate("import pytest\n", "pytest.work", {"pytest.py": work})
    hidden = Given(hidden_packages=frozenset({"pytest"}))
    found = findings(analyse(candidate, hidden), Track.KERNEL)
    assert any(e.where.startswith("pytest.py") for e in found)


def test_a_shown_library_of_arrays_still_computes() -> None:
    head = KERNEL + "import scipy.linalg\n"
    candidate = _candidate(head, "(lambda x: double(scipy.linalg.expm(x)))", {})
    found = findings(analyse(candidate, Given(("scipy",))), Track.KERNEL)
    assert any(e.severity is Severity.CONVICTS for e in found)


def test_an_allowed_package_moves_data() -> None:
    head = KERNEL + "import mamba_ssm\n"
    call = "(lambda x: double(mamba_ssm.ops.pack(x)))"
    candidate = _candidate(head, call, {})
    refused = findings(analyse(candidate), Track.KERNEL)
    assert any(e.severity is Severity.CONVICTS for e in refused)
    allowed = findings(analyse(candidate, Given(("mamba_ssm",))), Track.KERNEL)
    assert [e for e in allowed if e.severity is not Severity.NOTE] == []


LABELS = (
    KERNEL
    + """
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x, labels):
        return double(x) / (labels != -100).sum()
"""
)


def test_counting_labels_is_bookkeeping_where_they_are_few() -> None:
    main = SourceFile(path="kernel.py", text=LABELS)
    candidate = Candidate(name="c", language="triton", sources=(main,))
    few = Given(small_inputs=small_inputs([(6, 20), (6,), None]))
    assert few.small_inputs == {1}
    many = Given(small_inputs=small_inputs([(6, 4), (6,)]))
    for given, severe in ((few, False), (many, True)):
        found = findings(analyse(candidate, given), Track.KERNEL)
        assert any(e.severity is not Severity.NOTE for e in found) is severe


SPLIT = """
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        return CALL
"""


@pytest.mark.parametrize(
    ("result", "closing"),
    [
        ("double(x).sum(0)", ("sum",)),
        ("double(double(x).sum(0))", ()),  # a kernel goes on with the sum: it is part of the work
        ("double(x.sum(0))", ()),
        ("double(x)", ()),
    ],
)
def test_closing_sums_are_told_from_sums_on_the_way(result: str, closing: tuple[str, ...]) -> None:
    main = SourceFile(path="kernel.py", text=KERNEL + SPLIT.replace("CALL", result))
    candidate = Candidate(name="c", language="triton", sources=(main,))
    assert closing_reductions(analyse(candidate)) == closing


@pytest.mark.parametrize(
    ("line", "severe"),
    [
        (
            'if "gather_all" not in dir(torch.distributed):\n    torch.distributed.gather_all = 1',
            False,
        ),
        ('if not hasattr(torch, "gather_all"):\n    torch.gather_all = 1', False),
        ('if not hasattr(torch, "gather_all"):\n    torch.softmax = 1', True),
        ('if hasattr(torch, "softmax"):\n    torch.softmax = 1', True),
    ],
)
def test_a_missing_name_of_a_library_may_be_added_and_no_other(line: str, severe: bool) -> None:
    candidate = _candidate(KERNEL + line + "\n", "double", {})
    found = findings(analyse(candidate), Track.KERNEL)
    assert any(e.severity is Severity.CONVICTS for e in found) is severe


def test_a_module_may_set_names_of_its_own_by_setattr() -> None:
    own = """
import sys
IS_FAST = True
def _alias():
    module = sys.modules[__name__]
    for key in ("IS_FAST",):
        setattr(module, key.lower(), getattr(module, key))
_alias()
"""
    candidate = _candidate(KERNEL + "import utils\n" + own, "double", {"utils/__init__.py": own})
    assert [
        e for e in findings(analyse(candidate), Track.KERNEL) if e.severity.value != "note"
    ] == []
    other = own.replace("sys.modules[__name__]", 'sys.modules["torch"]')
    candidate = _candidate(KERNEL + other, "double", {})
    found = findings(analyse(candidate), Track.KERNEL)
    assert any(e.severity is Severity.CONVICTS for e in found)
