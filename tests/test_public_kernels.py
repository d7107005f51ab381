"""The table of public kernels: rows that can be asked, and none of their text."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "public_kernels.py"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("public_kernels", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["public_kernels"] = module
    spec.loader.exec_module(module)
    return module


def test_every_row_can_be_asked() -> None:
    script = _script()
    table = script.read_table(script.TABLE)
    assert len({kernel.key for kernel in table.kernels}) == len(table.kernels)
    for kernel in table.kernels:
        question = table.questions[kernel.task]
        ast.parse(question.adapter(kernel, contiguous=True))
        if not question.file:
            ast.parse(question.source(Path()))
        for path, text in kernel.stand_ins.items():
            ast.parse(text, path)


def test_six_repositories_hold_sixty_kernels_that_nothing_speaks_against() -> None:
    script = _script()
    kernels = [k for k in script.read_table(script.TABLE).kernels if not k.refusal]
    assert len(kernels) >= 60 and len({kernel.repository for kernel in kernels}) >= 6


def test_a_package_is_theirs_with_our_stand_ins(tmp_path: Path) -> None:
    script = _script()
    (tmp_path / "owner/name/lib").mkdir(parents=True)
    (tmp_path / "owner/name/lib/main.py").write_text("x = 1\nimport tests\n")
    (tmp_path / "owner/name/lib/device.py").write_text("import cuda_only\n")
    kernel = script.PublicKernel(
        "owner/name", "lib/main.py", "t", call="x", package=".", beside=("lib/*.py",),
        until="^import tests", stand_ins={"lib/device.py": "", "lib/__init__.py": ""},
    )  # fmt: skip
    asked = script.Asked(script.Question(inputs={"x": "1"}, reference="x"), tmp_path, False)
    files = {file.path: file.text for file in script.candidate_of(kernel, asked).sources}
    assert files["lib/main.py"] == "x = 1\n" and files["lib/device.py"] == ""
    assert next(iter(files)) == "kernel.py" and "lib/__init__.py" in files


def _rows(script: ModuleType, counts: dict[str, int], refusal: str) -> list[object]:
    return [
        script.PublicKernel(repository, f"{n}.py", "t", refusal=refusal)
        for repository, count in counts.items()
        for n in range(count)
    ]


def test_a_draw_spreads_over_repositories_and_knows_no_verdict() -> None:
    script = _script()
    counts = {"a/small": 2, "b/large": 30, "c/middle": 9}
    draw = script.drawn(_rows(script, counts, ""), 15, 7)
    held = [sum(k.repository == name for k in draw) for name in counts]
    assert held == [2, 7, 6] and len({k.key for k in draw}) == 15
    again = script.drawn(_rows(script, counts, "broken")[::-1], 15, 7)
    assert [k.key for k in again] == [k.key for k in draw]
    other = script.drawn(_rows(script, counts, ""), 15, 8)
    assert {k.key for k in other} != {k.key for k in draw}


def test_every_kernel_that_is_not_accepted_is_told_with_its_reason() -> None:
    script = _script()
    good, bad, left = _rows(script, {"a/b": 3}, "")
    line = {"status": "accepted", "contiguous": False, "reason": ""}
    wrong = {"status": "incorrect", "contiguous": True, "reason": "off by\none"}
    told = script.markdown([good, bad, left], {good.key: line, bad.key: wrong})
    assert "| all | 3 | 1 | 0 | 1 | 1 |" in told
    assert f"| `{bad.key}` | `incorrect` | unexplained | off by one |" in told
