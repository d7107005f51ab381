"""SOL-ExecBench and FlashInfer-Trace: dialects, kinds of inputs, ways to be called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from assay.data.run import Entry
from assay.engine.candidate_list import candidates_at
from assay.errors import UsageError
from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from assay.tasks.readers.definitions.size_expression import size_of, value_of
from assay.tasks.unread import Unread
from tasks.readers.foreign_module import instance, module_of

SCALE = "import torch\n\n@torch.no_grad()\ndef run(x, w, factor):\n    return x * w * factor\n"
SCALE_ROWS = {
    "name": "scale_rows",
    "description": "Scales rows.",
    "op_type": "scale",
    "axes": {
        "N": {"type": "var"},
        "C": {"type": "const", "value": 6},
        "half": {"type": "expr", "expression": "C // 2"},
        "N1": {"type": "var"},
    },
    "constraints": ["N1 == N + 1"],
    "inputs": {
        "x": {"shape": ["N", "C"], "dtype": "float32"},
        "w": {"shape": ["C"], "dtype": "float32"},
        "factor": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["N", "half * 2"], "dtype": "float32"}},
    "reference": SCALE,
}
INPUTS = {
    "x": {"type": "random"},
    "w": {"type": "random"},
    "factor": {"type": "scalar", "value": 0.5},
}
RETURNS = {
    "name": "returns",
    "definition": "scale_rows",
    "author": "a",
    "spec": {
        "languages": ["pytorch"],
        "target_hardware": ["LOCAL"],
        "entry_point": "kernel.py::scaled",
        "destination_passing_style": False,
    },
    "sources": [
        {"path": "parts.py", "content": "def times(a, b):\n    return a * b\n"},
        {
            "path": "kernel.py",
            "content": "from parts import times\n\n"
            "def scaled(x, w, factor):\n    return {'y': times(x, w) * factor}\n",
        },
    ],
}
WRITES = {
    **RETURNS,
    "name": "writes",
    "spec": {"language": "python", "target_hardware": ["any"], "entry_point": "main.py::run"},
    "sources": [
        {
            "path": "main.py",
            "content": "def run(x, w, factor, y):\n    y.copy_(x * w * factor)\n",
        }
    ],
}


def _write(path: Path, *values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    folder = tmp_path / "L1" / "scale_rows"
    _write(folder / "definition.json", SCALE_ROWS)
    good = {"uuid": "u0", "axes": {"N": 4, "N1": 5}, "inputs": INPUTS}
    wide = {"uuid": "u1", "axes": {"N": 9, "N1": 10}, "inputs": INPUTS}
    broken = {"uuid": "u2", "axes": {"N": 9, "N1": 9}, "inputs": INPUTS}
    unsaid = {"uuid": "u3", "axes": {"N": 9, "N1": 10}, "inputs": {}}
    _write(folder / "workload.jsonl", good, wide, broken, unsaid)
    _write(folder / "solution_returns.json", RETURNS)
    _write(folder / "solution_writes.json", WRITES)
    return tmp_path


def test_each_workload_is_a_task_and_the_others_are_told(problem: Path) -> None:
    tasks = tasks_of(f"sol_execbench:{problem}")
    assert [task.id for task in tasks] == ["scale_rows", "scale_rows@1"]
    assert tasks[0].title == "Scales rows." and tasks[0].tags == ("scale", "workload:u0")
    assert SCALE.strip() in tasks[0].source
    shapes = [[tuple(x.shape) for x in module_of(t.source).get_inputs()] for t in tasks]
    assert shapes == [[(4, 6), (6,)], [(9, 6), (6,)]]
    broken, unsaid = unread_of(f"sol_execbench:{problem}")
    assert "breaks the constraint N1 == N + 1" in broken.why
    assert "does not say how the tensor 'x' is made" in unsaid.why


def test_solutions_are_candidates_of_a_run(problem: Path, tmp_path: Path) -> None:
    tasks = tasks_of(f"sol_execbench:{problem}")
    own = tmp_path / "candidates" / "scale_rows"
    _write(own / "first.json", RETURNS)
    _write(own / "second" / "solution.json", WRITES)
    _write(own / "third.json", {"speedup": 3.0})
    found = list(candidates_at(tmp_path / "candidates", tasks))
    entries = [one for one in found if isinstance(one, Entry)]
    assert [Path(one.candidate.name).name for one in entries] == ["first.json", "solution.json"]
    assert all(one.candidate.entry == "ModelNew" for one in entries)
    (unread,) = [one for one in found if isinstance(one, Unread)]
    assert "is no solution" in unread.why


def test_axes_follow_each_other(problem: Path) -> None:
    source = resolve(f"sol_execbench:{problem}#scale_rows").source
    assert "N1 = int(N + 1)" in source and "half = int(C // 2)" in source
    with pytest.raises(AssertionError):
        module_of(source.replace("N1 = int(N + 1)", "N1 = 3")).get_inputs()


@pytest.mark.parametrize("kind", ["returns", "writes"])
def test_a_solution_is_called_as_its_author_says(
    problem: Path, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = f"sol_execbench:{problem}#scale_rows@1"
    task = resolve(name)
    path = next(p for p in candidates_of(name) if kind in p.name)
    candidate = candidate_at(path, task)
    assert candidate.entry == "ModelNew"
    assert "kernel.py" not in {file.path for file in candidate.sources}  # the entry's own name
    _assert_agrees(task, candidate, monkeypatch, tmp_path)


def test_a_plain_file_is_called_by_its_parameters(
    problem: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    task = resolve(f"sol_execbench:{problem}#scale_rows")
    plain = tmp_path / "plain.py"
    plain.write_text("def run(x, w, factor, y):\n    y.copy_(x * w * factor)\n")
    _assert_agrees(task, candidate_at(plain, task), monkeypatch, tmp_path)


def _assert_agrees(task: Any, candidate: Any, monkeypatch: Any, folder: Path) -> None:
    made = folder / "made"
    for file in candidate.sources:
        _place = made / file.path
        _place.parent.mkdir(parents=True, exist_ok=True)
        _place.write_text(file.text)
    monkeypatch.syspath_prepend(str(made))
    try:
        there = instance(task, module_of(candidate.main.text, "entry_of_test"), "ModelNew")
    finally:
        for file in candidate.sources:
            __import__("sys").modules.pop(file.path.removesuffix(".py"), None)
    inputs = module_of(task.source).get_inputs()
    expected = instance(task, module_of(task.source))(*inputs)
    assert torch.equal(there(*inputs), expected) and expected.shape == inputs[0].shape


def test_custom_inputs(tmp_path: Path) -> None:
    reference = (
        "import torch\n\ndef made(sizes, device):\n"
        "    return {'x': torch.full((sizes['N'],), 7.0, device=device)}\n\n"
        "def run(x):\n    return (x + 1,)\n"
    )
    told = {
        "name": "one_more",
        "axes": {"N": {"type": "var"}},
        "custom_inputs_entrypoint": "made",
        "inputs": {"x": {"shape": ["N"], "dtype": "float32"}},
        "outputs": {"y": {"shape": ["N"], "dtype": "float32"}},
        "reference": reference,
    }
    _write(tmp_path / "definition.json", told)
    _write(tmp_path / "workload.jsonl", {"axes": {"N": 3}, "inputs": {"x": {"type": "custom"}}})
    task = resolve(f"sol_execbench:{tmp_path}")
    (x,) = module_of(task.source).get_inputs()
    assert torch.equal(instance(task, module_of(task.source))(x), torch.full((3,), 8.0))


def test_stored_inputs_are_in_the_source(tmp_path: Path) -> None:
    header = json.dumps({"i": {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    content = (3).to_bytes(4, "little") + (1).to_bytes(4, "little")
    blob = tmp_path / "blob" / "one.safetensors"
    blob.parent.mkdir()
    blob.write_bytes(len(header).to_bytes(8, "little") + header + content)
    told = {
        "name": "taken",
        "op_type": "take",
        "tags": ["status:verified"],
        "axes": {"N": {"type": "var"}, "K": {"type": "const", "value": 2}},
        "constraints": ["K == i.shape[0]"],
        "inputs": {
            "x": {"shape": ["N"], "dtype": "float16"},
            "i": {"shape": ["K"], "dtype": "int32"},
        },
        "outputs": {"y": {"shape": ["K"], "dtype": "float16"}},
        "reference": "def run(x, i):\n    return x[i.long()]\n",
    }
    stored = {"type": "safetensors", "path": "data/blob/one.safetensors", "tensor_key": "i"}
    line = {
        "definition": "taken",
        "solution": None,
        "workload": {
            "uuid": "u",
            "axes": {"N": 5},
            "inputs": {"x": {"type": "random"}, "i": stored},
        },
        "evaluation": None,
    }
    judged = {**line, "solution": "s", "evaluation": {"status": "PASSED"}}
    lost = {**line, "definition": "given_away"}
    far = json.loads(json.dumps(line).replace("one.safe", "two.safe"))
    _write(tmp_path / "definitions" / "take" / "taken.json", told)
    _write(tmp_path / "workloads" / "take" / "taken.jsonl", line, judged, lost, far)
    (task,) = tasks_of(f"flashinfer_trace:{tmp_path}")
    whys = [one.why for one in unread_of(f"flashinfer_trace:{tmp_path}")]
    assert [why.rpartition(" is ")[2] for why in whys] == ["not there", "there"]
    blob.unlink()
    x, i = module_of(task.source).get_inputs()
    assert i.tolist() == [3, 1] and i.dtype == torch.int32 and x.dtype == torch.float16
    assert task.tags == ("take", "status:verified", "workload:u")
    assert torch.equal(instance(task, module_of(task.source))(x, i), x[[3, 1]])


def test_what_a_definition_lacks_is_told(tmp_path: Path) -> None:
    bare = {**SCALE_ROWS, "reference": ""}
    _write(tmp_path / "a" / "definition.json", bare)
    _write(tmp_path / "b" / "definition.json", {**SCALE_ROWS, "name": "other"})
    _write(tmp_path / "c" / "workload.jsonl", {"definition": "gone", "axes": {}, "inputs": {}})
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    whys = sorted(one.why for one in unread_of(f"sol_execbench:{tmp_path}"))
    assert whys == [
        "a table: export definitions and workloads as JSON first",
        "it has no reference",
        "no definition 'gone' is there",
        "no workload gives values of its axes",
    ]


def test_sizes_are_arithmetic_and_nothing_else() -> None:
    assert size_of("(a + 1) // 2 * b ** 2", {"a": 5, "b": 3}) == 27
    assert size_of("a / 2", {"a": 6}) == 3
    assert value_of("a <= b < 9 and not b == 2", {"a": 1, "b": 3}) is True
    for wrong in ("a / 4", "__import__('os')", "a.real", "2 ** 9 ** 9", "c", "(", "'x'"):
        with pytest.raises(UsageError):
            size_of(wrong, {"a": 6})
