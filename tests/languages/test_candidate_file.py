from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text, load_candidate

ENTRY = "class ModelNew:\n    pass\n"
TEXTS = {
    "torch": '"""About triton, nvcc and g++ in prose."""\nimport torch\n',
    "triton": "try:\n    import triton.language as tl\nexcept ImportError:\n    tl = None\n",
    "numba": "from numba import njit\n",
    "cpp": "import subprocess\nsubprocess.run(['g++', '-O3', 'k.cpp'])\n",
    "cuda": (
        "from torch.utils.cpp_extension import load_inline\n"
        "load_inline('n', '', cuda_sources='x')\n"
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_language_comes_from_parsed_code(tmp_path: Path, language: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TEXTS[language] + ENTRY)
    candidate = load_candidate(path)
    assert candidate.language is language
    assert candidate.main.path == "kernel.py" and candidate.name == str(path)


def test_a_folder_with_two_entries_names_both(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for name in ("new.py", "old/first.py"):
        (tmp_path / name).write_text(ENTRY)
    with pytest.raises(UsageError, match=r"several files define ModelNew: new.py, old/first.py;"):
        load_candidate(tmp_path)


def test_an_entry_in_prose_is_no_second_entry(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f'"""\n{ENTRY}"""\n')
    (tmp_path / "z.py").write_text(ENTRY)
    assert load_candidate(tmp_path).main.path == "z.py"


def test_only_dot_folders_inside_the_candidate_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "run"
    (folder / ".old").mkdir(parents=True)
    (folder / "k.py").write_text(ENTRY)
    (folder / ".old" / "k.py").write_text(ENTRY)
    assert [file.path for file in load_candidate(folder).sources] == ["k.py"]


def test_a_name_too_long_for_the_file_system_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*name too long"):
        load_candidate(tmp_path / ("x" * 5000 + ".py"))


def test_load_inline_without_cuda_is_cpp(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import torch.utils.cpp_extension as e\nm = e.load_inline('n', 'x', cuda_sources=None)\n"
    )
    assert load_candidate(path).language == "cpp"


def test_the_name_does_not_change_the_id(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(ENTRY)
    assert load_candidate(tmp_path / "a.py").id == load_candidate(tmp_path / "b.py").id


def test_a_syntax_error_is_loaded_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def f(:\n")
    assert load_candidate(path).language == "torch"


def test_a_bare_cpp_file(tmp_path: Path) -> None:
    path = tmp_path / "k.cpp"
    path.write_text("int x;")
    candidate = load_candidate(path)
    assert candidate.language == "cpp_source" and candidate.main.path == "kernel.cpp"


def test_a_folder_puts_the_entry_first(tmp_path: Path) -> None:
    folder = tmp_path / "cand"
    (folder / "csrc").mkdir(parents=True)
    (folder / "a_ops.py").write_text("import triton\n# ModelNew lives elsewhere\n")
    (folder / "model.py").write_text(ENTRY)
    (folder / "csrc" / "k.cu").write_text("__global__ void k() {}")
    (folder / "notes.txt").write_text("no source")
    candidate = load_candidate(folder)
    assert [f.path for f in candidate.sources] == ["model.py", "a_ops.py", "csrc/k.cu"]
    assert candidate.language == "triton"


@pytest.mark.parametrize("name", ["missing.py", "empty_folder", "notes.txt", "binary.py"])
def test_an_unreadable_path_is_a_usage_error_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty_folder").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError) as caught:
        load_candidate(tmp_path / name)
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_a_source_that_would_take_minutes_to_read_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text("x = 1\n" * 400_000)
    with pytest.raises(UsageError, match=r"2\.3 MiB of source; a candidate has at most 2 MiB"):
        load_candidate(tmp_path / "kernel.py")
    with pytest.raises(UsageError, match="at most 2 MiB"):
        candidate_of_text("x = 1\n" * 400_000)
