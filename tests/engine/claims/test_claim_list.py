"""Claims of tables and folders: every row is kept, and nothing outside the folder is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.engine.claims.claim_list import ReadClaim, claims_at
from assay.errors import UsageError
from sample_records import TASK

KERNEL = "class ModelNew: ...\n"
GELU = TASK.model_copy(update={"id": "gelu"})
TASKS = (TASK, GELU)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "artefact"
    (place / "softmax").mkdir(parents=True)
    (place / "softmax" / "a.py").write_text(KERNEL)
    return place


def read(place: Path, name: str, text: str) -> tuple[ReadClaim, ...]:
    path = place / name
    path.write_text(text)
    return claims_at(path, TASKS).claims


def test_a_table_in_each_form_says_the_same(folder: Path) -> None:
    rows = {"task": "softmax", "candidate": "softmax/a.py", "speedup": "2.5x", "gpu": "H100"}
    csv = f"{','.join(rows)}\n{','.join(rows.values())}\n"
    forms = {
        "a.csv": "\ufeff" + csv,
        "a.tsv": csv.replace(",", "\t"),
        "a.jsonl": json.dumps(rows) + "\n\n",
        "a.json": json.dumps({"results": [rows]}),
    }
    for name, text in forms.items():
        (one,) = read(folder, name, text)
        claim = one.claim
        assert (claim.task, claim.speedup, claim.device) == ("softmax", 2.5, "H100"), name
        assert one.candidate is not None and claim.candidate_id == one.candidate.id
        assert claim.candidate == "softmax/a.py" and claim.where.startswith(name)


def test_the_task_may_be_the_kernels_folder_and_the_kernel_may_be_in_the_row(folder: Path) -> None:
    (one,) = read(folder, "a.csv", "path,speedup\nsoftmax/a.py,2\n")
    assert one.task == TASK and one.entry() is not None
    (one,) = read(folder, "b.jsonl", json.dumps({"task": "GELU.py", "code": KERNEL}))
    assert one.task == GELU and one.candidate is not None and one.candidate.main.text == KERNEL


def test_a_row_that_cannot_be_judged_stays_and_says_why(folder: Path) -> None:
    text = "task,candidate,speedup\nnone,softmax/a.py,2\nsoftmax,lost.py,3\nsoftmax,,4\n"
    found = read(folder, "a.csv", text)
    assert [one.claim.speedup for one in found] == [2.0, 3.0, 4.0]
    assert [one.entry() for one in found] == [None] * 3
    assert "no task called 'none'" in found[0].unjudged
    assert found[1].unjudged == "cannot read lost.py: No such file or directory"
    assert "names no candidate" in found[2].unjudged


def test_nothing_outside_the_folder_is_read(folder: Path) -> None:
    outside = folder.parent / "private.py"
    outside.write_text(KERNEL)
    (folder / "link.py").symlink_to(outside)
    (folder / "linked").mkdir()
    (folder / "linked" / "kernel.py").symlink_to(outside)
    names = ["../private.py", str(outside), "link.py", "linked"]
    text = "task,candidate\n" + "".join(f"softmax,{name}\n" for name in names)
    for one in read(folder, "a.csv", text):
        assert one.candidate is None and "lies outside" in one.unjudged


def test_a_folder_holds_a_table_or_a_claim_beside_each_kernel(folder: Path) -> None:
    (folder / "softmax" / "a.json").write_text('{"speedup": 3.5, "device": "H200"}')
    (folder / "softmax" / "b.py").write_text(KERNEL + "#\n")
    (folder / "softmax" / "b.json").write_text("[")
    (folder / "unknown").mkdir()
    first, second, third = claims_at(folder, TASKS).claims
    assert (first.claim.candidate, first.claim.speedup) == ("softmax/a.py", 3.5)
    assert second.claim.speedup is None and "not JSON" in second.claim.unread[0]
    assert third.task is None and "no task" in third.unjudged
    (folder / "results.csv").write_text("task,candidate\nsoftmax,softmax/a.py\n")
    assert len(claims_at(folder, TASKS).claims) == 1
    (folder / "more.csv").write_text("task\n")
    with pytest.raises(UsageError, match="several tables: give one of more"):
        claims_at(folder, TASKS)
    (folder / "claims.json").write_text('[{"task": "gelu"}]')
    assert claims_at(folder, TASKS).claims[0].claim.task == "gelu"


def test_rows_without_a_device_are_about_the_one_that_was_named(folder: Path) -> None:
    path = folder / "a.csv"
    path.write_text("task,gpu\nsoftmax,\nsoftmax,H100\n")
    found = claims_at(path, TASKS, "RTX 5090").claims
    assert [one.claim.device for one in found] == ["RTX 5090", "H100"]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "", "no rows"),
        ("a.csv", "colour,taste\nred,sweet\n", "no column that is known"),
        ("a.json", "{", "not JSON"),
        ("a.json", "3", "no list"),
        ("a.csv", b"task\n\xff\xfe", "not UTF-8"),
        ("a.xlsx", "", "a folder or a file of"),
        ("none.csv", None, "no such file"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_line(
    tmp_path: Path, name: str, text: str | bytes | None, why: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=why):
        claims_at(path, TASKS)


def test_hostile_rows_are_rows(folder: Path) -> None:
    deep = "[" * 5000
    found = read(folder, "a.jsonl", f'{deep}\n3\n{{"task": ["softmax"], "speedup": {{}}}}\n')
    assert len(found) == 3 and all(one.candidate is None for one in found)
    assert all(one.claim.unread for one in found)
