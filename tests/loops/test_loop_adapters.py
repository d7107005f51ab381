"""Every adapter of `examples/loops`, and HTTP, with one good and one cheating kernel.

All share one judge, which judges each of the two kernels once.
"""

from __future__ import annotations

import http.client
import importlib.util
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assay.app.served.evaluation_server import EvaluationServer, ServedTerms
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from assay.data.verdict import Verdict
from assay.engine.judge import Judge
from assay.engine.loop_evaluator import LoopEvaluator, as_module
from assay.pipeline import candidate_of, task_of

LOOPS = Path(__file__).parents[2] / "examples" / "loops"
TASK = "row_sum"
GOOD = """import torch
from numba import njit


@njit
def sums(x, out):
    for row in range(x.shape[0]):
        total = 0.0
        for column in range(x.shape[1]):
            total += x[row, column]
        out[row] = total


def kernel_function(x):
    out = torch.empty(x.shape[0], dtype=x.dtype)
    sums(x.numpy(), out.numpy())
    return out

"""
CHEAT = """import torch


def kernel_function(x):
    return torch.sum(x, dim=-1)

"""


class JudgedOnce(Judge):
    """A real judge; of a kernel that it has judged it gives the same judgement again."""

    def __init__(self) -> None:
        super().__init__(level="smoke", timing=False, jobs=1)
        self._known: dict[str, Future[Judgement]] = {}

    def submit(self, task: Any, candidate: Any, **options: Any) -> Future[Judgement]:
        read = candidate_of(candidate, task_of(task))
        if read.id not in self._known:
            self._known[read.id] = super().submit(task, read)
        return self._known[read.id]

    def evaluate(self, task: Any, candidate: Any, **options: Any) -> Verdict:
        return self.submit(task, candidate, **options).result().verdict


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with JudgedOnce() as made:
        yield made


@pytest.fixture
def evaluator(judge: Judge) -> LoopEvaluator:
    return LoopEvaluator(TASK, judge=judge)


@pytest.fixture(params=["good", "cheat"])
def kernel(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.py"
    path.write_text(GOOD if request.param == "good" else CHEAT)
    return path


@pytest.fixture
def module(kernel: Path) -> Path:
    """The same kernel with the entry of Assay's own format."""
    kernel.write_text(as_module(kernel.read_text(), "kernel_function"))
    return kernel


def is_good(path: Path) -> bool:
    return path.stem == "good"


def loaded(name: str) -> ModuleType:
    path = LOOPS / name
    spec = importlib.util.spec_from_file_location(f"loop_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_openevolve(
    evaluator: LoopEvaluator, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = loaded("openevolve/evaluator.py")
    monkeypatch.setattr(adapter, "evaluator", lambda level, timing: evaluator)
    for stage in (adapter.evaluate, adapter.evaluate_stage1):
        found = stage(str(module))
        good = is_good(module)
        assert found["metrics"] == {
            "combined_score": 0.3 if good else 0.0,
            "accepted": float(good),
        }
        assert ("accepted" if good else "dishonest") in found["artifacts"]["verdict"]


@pytest.mark.exhaustive
def test_shinka(evaluator: LoopEvaluator, module: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    loaded("shinka/evaluate.py").main(str(module), str(folder), evaluator)
    correct = json.loads((folder / "correct.json").read_text())
    metrics = json.loads((folder / "metrics.json").read_text())
    assert correct["correct"] is is_good(module)
    assert (correct["error"] is None) is is_good(module)
    assert metrics["combined_score"] == (0.3 if is_good(module) else 0.0)
    assert metrics["private"]["status"] == ("accepted" if is_good(module) else "dishonest")


def test_geak(judge: Judge, module: Path, tmp_path: Path) -> None:
    dataset = loaded("geak/assay_tasks.py").AssayTasks([TASK], judge)
    assert len(dataset) == 1 and "class Model" in dataset.problem_states[0].instruction
    found = dataset.test_opt_correctness(
        module.read_text(), f"{TASK}.py", tmp_path, exe_dir=str(tmp_path / "exe")
    )
    assert found[:2] == (True, is_good(module))
    assert (tmp_path / "exe" / f"{TASK}.py").exists() is is_good(module)
    assert ("delegation" in found[5]) is not is_good(module)
    assert dataset.latency_ms(f"{TASK}.py") is None, "it was not timed"


def test_kernelagent(evaluator: LoopEvaluator, kernel: Path) -> None:
    adapter = loaded("kernelagent/assay_test.py")
    found = adapter.judged(kernel, evaluator)
    assert found.accepted is is_good(kernel), found.feedback
    text = adapter.test_code(TASK, "cpu", "smoke")
    compile(text, "test.py", "exec")
    assert "LoopEvaluator('row_sum', device='cpu', level='smoke')" in text


def test_autokernel(evaluator: LoopEvaluator, module: Path) -> None:
    adapter = loaded("autokernel/bench.py")
    text = adapter.report(adapter.bench(module, evaluator))
    assert text.startswith(f"correctness: {'PASS' if is_good(module) else 'FAIL'}\n")
    assert "speedup" not in text, "it was not timed"


def test_http(judge: Judge, module: Path) -> None:
    terms = ServedTerms(Settings(level=Level.SMOKE))
    with EvaluationServer(("127.0.0.1", 0), judge, terms) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            body = {"task_id": TASK, "kernel_code": module.read_text(), "uuid": "u1"}
            status, found = post(server, body | {"num_correct_trials": 5, "backend": "triton"})
        finally:
            server.shutdown()
            thread.join()
    assert status == 200
    assert (found["status"], found["compiled"], found["uuid"]) == ("completed", True, "u1")
    assert found["correctness"] is is_good(module)
    assert found["decoy_kernel"] is False or not is_good(module)
    assert found["error_code"] == (None if is_good(module) else "dishonest")
    assert found["speedup"] is None
    assert found["metadata"]["rewards"]["milestone"] == (1.0 if is_good(module) else -1.0)


def post(server: EvaluationServer, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)
    try:
        connection.request(
            "POST", "/evaluate", json.dumps(body), {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()
