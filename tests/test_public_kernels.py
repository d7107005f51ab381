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
