"""The catalogue: names to tasks, mistakes in one line, and no torch on the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.data.axis import AxisRole
from assay.data.candidate import Candidate, SourceFile
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text
from assay.tasks import catalog
from assay.tasks.catalog import (
    adapted,
    candidate_at,
    candidates_of,
    resolve,
    suites,
    tasks_of,
    unread_of,
)
from assay.tasks.readers.kernelbench import KernelBenchReader, task_of_text

GOOD = """
class Model:
    "Doubles."
def get_inputs(): return []
def get_init_inputs(): return []
"""


def test_native_tasks_have_axes_and_tags() -> None:
    tasks = tasks_of("native")
    assert len(tasks) >= 240 and len({task.id for task in tasks}) == len(tasks)
    for task in tasks:
        kinds = [tag.partition(":")[0] for tag in task.tags]
        assert task.title
        assert kinds[:5] == ["category", "kerneleval", "rubric", "source", "difficulty"]
        # A vector that is taken as a whole: nothing in it is a batch.
        one_vector = len(task.axes) == 1 or task.id == "fused_mv_logsoftmax"
        assert one_vector or any(axis.role is AxisRole.BATCH for axis in task.axes)
        assert all(axis.low <= axis.own <= axis.high for axis in task.axes)


def test_an_unknown_name_gives_its_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean softmax"):
        resolve("sofmax")
    with pytest.raises(UsageError, match="unknown reader 'nosuch'"):
        resolve("nosuch:thing")
    with pytest.raises(UsageError, match="known suites are native"):
        tasks_of("nosuch")


def test_a_file_is_a_task_and_its_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    good, bad, broken = tmp_path / "good.py", tmp_path / "bad.py", tmp_path / "broken.py"
    good.write_text(GOOD)
    bad.write_text("def get_inputs(): return []\n")
    broken.write_text("class Model(:\n")
    assert (resolve(str(good)).id, resolve(str(good)).title) == ("good", "Doubles.")
    for name, words in (("bad.py", "no Model"), ("broken.py", "not Python"), ("no.py", "no such")):
        with pytest.raises(UsageError, match=words) as error:
            resolve(str(tmp_path / name))
        assert "\n" not in str(error.value)


def test_a_folder_lists_in_natural_order_and_finds_by_stem(tmp_path: Path) -> None:
    for name in ("10_b.py", "2_a.py"):
        (tmp_path / name).write_text(GOOD)
    (tmp_path / "notes.py").write_text("x = 1\n")
    (tmp_path / "3_c.py").write_text("class Model(:\n")
    (tmp_path / "4_d.py").write_text("class ModelNew: ...\n")
    (left,) = unread_of(f"kernelbench:{tmp_path}")
    assert left.where.endswith("3_c.py") and left.why.startswith("it is not Python")
    assert [task.id for task in tasks_of(f"kernelbench:{tmp_path}")] == ["2_a", "10_b"]
    assert resolve(f"kernelbench:{tmp_path}#10_b").id == "10_b"
    assert resolve(f"kernelbench:{tmp_path / '2_a.py'}").id == "2_a"
    with pytest.raises(UsageError, match="give one of its files"):
        resolve(f"kernelbench:{tmp_path}")
    with pytest.raises(UsageError, match="no task 'zz'"):
        resolve(f"kernelbench:{tmp_path}#zz")


def test_a_folder_hides_a_native_task_only_where_it_holds_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gelu", "nobody"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.py").write_text("class ModelNew: ...")
    assert resolve("gelu").id == "gelu"
    with pytest.raises(UsageError, match="nobody holds no task"):
        resolve("nobody")
    (tmp_path / "gelu" / "task.py").write_text(GOOD)
    with pytest.raises(UsageError, match="gelu is a folder: give one of its files"):
        resolve("gelu")


def test_candidates_lie_beside_their_task(tmp_path: Path) -> None:
    (tmp_path / "2_a.py").write_text(GOOD)
    own = [tmp_path / "2_a__first.py", tmp_path / "2_a__second.py"]
    for path in (*own, tmp_path / "12_a__other.py"):
        path.write_text("class ModelNew: ...")
    for place in (f"{tmp_path}#2_a", f"{tmp_path / '2_a.py'}"):
        assert candidates_of(f"kernelbench:{place}") == tuple(own)
    assert candidates_of(str(own[0])) == (own[0],)
    with pytest.raises(UsageError, match="no candidate lies beside"):
        candidates_of("native:#softmax")


def test_listing_imports_no_torch() -> None:
    code = (
        "import sys; from assay.tasks.catalog import resolve, tasks_of;"
        "tasks_of('native'); resolve('gelu'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_suites_are_named() -> None:
    assert suites()[:2] == ("native", "kernelbench:FOLDER")
    assert "tritonbench_g:FOLDER" in suites()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bin.py", b"\xff\xfe\x00", "cannot read .*bin.py: it is not UTF-8 text"),
        ("k.py", b"class ModelNew: ...\n", "k.py defines ModelNew, so it is a candidate"),
        ("empty.py", b"", "has no Model, get_inputs, get_init_inputs"),
        ("x" * 5000 + ".py", None, "cannot read .*: File name too long"),
        ("folder", None, "holds no task: no .py file there defines Model"),
    ],
)
def test_a_file_that_is_no_task_is_one_line_with_the_mend(
    name: str, content: bytes | None, told: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=told):
        resolve(str(tmp_path / name))


def test_a_suite_without_tasks_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no task"):
        tasks_of(f"kernelbench:{tmp_path}")


class _Shouting(KernelBenchReader):
    """Its candidates define `shout`."""

    def adapt(self, candidate: Candidate, task: Task) -> Candidate:
        entry = SourceFile(path="entry.py", text="from kernel import shout as ModelNew\n")
        return candidate.model_copy(update={"sources": (entry, *candidate.sources)})


def test_candidates_are_read_in_the_format_of_their_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "loud.py"
    file.write_text("def shout(x): return x\n")
    task = task_of_text(GOOD)
    as_it_is = candidate_at(file, task)
    assert [one.path for one in as_it_is.sources] == ["kernel.py"]
    monkeypatch.setattr(catalog, "reader", lambda name: _Shouting())
    of_file, of_text = candidate_at(file, task), adapted(candidate_of_text(file.read_text()), task)
    assert of_file.id == of_text.id and of_file.main.path == "entry.py"
    by_hand = task.model_copy(update={"format": "made by hand"})
    assert candidate_at(file, by_hand).id == as_it_is.id
