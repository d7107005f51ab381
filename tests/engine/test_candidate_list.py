"""Candidates of many tasks are found by folder, by KernelBench's names or by JSON lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.data.run import Entry
from assay.data.task import Task
from assay.engine.candidate_list import candidates_at
from assay.errors import UsageError
from assay.tasks.catalog import resolve, tasks_of
from assay.tasks.unread import Unread

KERNEL = "class ModelNew: pass\n"
TASKS = tuple(
    Task(id=name, title=name, format="native", source="x", origin=origin)
    for name, origin in [
        ("softmax", ""),
        ("1_Add", "a/level1/1_Add.py"),
        ("1_B", "a/level2/1_B.py"),
    ]
)


def _found(place: Path) -> tuple[list[Entry], list[Unread]]:
    found = list(candidates_at(place, TASKS))
    entries = [one for one in found if isinstance(one, Entry)]
    return entries, [one for one in found if isinstance(one, Unread)]


def test_a_folder_of_tasks(tmp_path: Path) -> None:
    for name in ("softmax/b.py", "softmax/a.cpp", "softmax/notes.md", "other/x.py", "loose.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(KERNEL)
    entries, unread = _found(tmp_path)
    assert [Path(e.candidate.name).name for e in entries] == ["a.cpp", "b.py"]
    assert [e.number for e in entries] == [0, 1] and entries[0].task.id == "softmax"
    assert {Path(one.where).name for one in unread} == {"other", "loose.py"}


def test_kernelbenchs_samples(tmp_path: Path) -> None:
    for level, problem, sample in [(1, 1, 0), (2, 1, 3), (2, 9, 0)]:
        name = f"level_{level}_problem_{problem}_sample_{sample}_kernel.py"
        (tmp_path / name).write_text(KERNEL)
    entries, unread = _found(tmp_path)
    assert [(e.task.id, e.candidate.provenance.sample) for e in entries] == [
        ("1_Add", 0),
        ("1_B", 3),
    ]
    assert "no problem 9 of level 2" in unread[0].why


def test_json_lines_carry_what_the_generator_cost(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    lines = [
        {"task": "softmax", "source": KERNEL, "generator": "g", "model": "m", "round": 2}
        | {"tokens_in": 5, "dollars": 0.25, "parents": ["a"], "seconds": 3, "temperature": 1},
        {"task": "softmax", "path": "k.py", "name": "mine"},
        {"task": "unknown", "source": KERNEL},
        {"task": "softmax"},
        {"task": "softmax", "source": KERNEL, "tokens_in": "many"},
    ]
    place = tmp_path / "c.jsonl"
    place.write_text("\n".join(map(json.dumps, lines)) + "\n[1]\nnonsense\n")
    entries, unread = _found(place)
    made = entries[0].candidate.provenance
    assert made.generator is not None and (made.generator.name, made.generator.model) == ("g", "m")
    assert (made.round, made.tokens_in, made.cost_usd, made.parents) == (2, 5, 0.25, ("a",))
    assert entries[1].candidate.name == "mine" and len(entries) == 2
    assert [int(one.where.rpartition(":")[2]) for one in unread] == [3, 4, 5, 6, 7]


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        list(candidates_at(tmp_path / "none", TASKS))


def test_a_name_that_is_no_text_is_left_out_and_the_others_stay(tmp_path: Path) -> None:
    folder = tmp_path / "softmax"
    folder.mkdir()
    (folder / "a.py").write_text(KERNEL)
    with open(os.fsencode(folder) + b"/\xff.py", "w") as file:
        file.write(KERNEL)
    (tmp_path / "lines.jsonl").write_text(
        json.dumps({"task": "softmax", "source": KERNEL, "name": "\udcff"}) + "\n"
    )
    entries, unread = _found(tmp_path)
    assert [Path(e.candidate.name).name for e in entries] == ["a.py"]
    assert len(unread) == 1 and "is not UTF-8" in unread[0].why
    (line,) = _found(tmp_path / "lines.jsonl")[1]
    assert "is not UTF-8" in line.why


def test_references_stand_for_candidates() -> None:
    tasks = [resolve("softmax"), resolve("softmax.backward")]
    found = [one for one in candidates_at(Path("reference"), tasks) if isinstance(one, Entry)]
    assert [one.task.id for one in found] == ["softmax", "softmax.backward"]
    assert [one.candidate.main.text.split()[-1] for one in found] == ["Model", "ModelBackward"]
    assert {one.candidate.provenance.generator.name for one in found} == {"reference"}  # type: ignore[union-attr]


def test_lines_in_the_form_of_the_tasks_own_format(tmp_path: Path) -> None:
    line = "#" * 146
    text = f"def double(x):\n    return x + x\n{line}\nimport torch\ndef test_double():\n"
    text += "    return {'one': double(torch.rand(4, device='cuda'))}\n"
    (tmp_path / "double.py").write_text(text)
    tasks = tasks_of(f"kernelbench_x:{tmp_path}")
    rows = [
        {"file": "Math/double.py", "predict": "```python\ndef double(x):\n    return 2 * x\n```"},
        {"file": "Math/treble.py", "predict": "x = 1"},
        {"file": "Math/double.py"},
    ]
    lines = tmp_path / "predictions.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, other, nothing = candidates_at(lines, tasks)
    assert isinstance(one, Entry) and one.task.id == "double"
    assert [file.path for file in one.candidate.sources] == ["entry.py", "submission.py"]
    assert isinstance(other, Unread) and "treble" in other.why
    assert isinstance(nothing, Unread) and "lacks 'task'" in nothing.why
