"""The HTTP face: who is served, what is refused, and how many may wait."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, cast

import pytest

from assay.app.served.evaluation_server import EvaluationServer, ServedTerms
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from assay.data.verdict import Correct, Honest, Status
from assay.engine.judge import Judge
from assay.tasks.catalog import resolve
from sample_records import TIMING, candidate, judgement

JSON = {"Content-Type": "application/json"}
BODY = {"task_id": "softmax", "kernel_code": "class ModelNew: pass"}


class ScriptedJudge:
    """Answers with one verdict, at once or when it is let go."""

    def __init__(self, status: Status = Status.ACCEPTED, held: bool = False) -> None:
        self.asked: list[tuple[Any, Any, dict[str, Any]]] = []
        self.let_go, self.began = threading.Event(), threading.Event()
        self._status, self._held = status, held

    def submit(self, task: Any, kernel: Any, **options: Any) -> Future[Judgement]:
        self.asked.append((task, kernel, options))
        self.began.set()
        if self._held:
            self.let_go.wait(30)
        made = judgement(candidate("k.py"), Settings(), self._status)
        sure = {"correct": Correct.YES, "honest": Honest.YES, "timing": (TIMING,)}
        verdict = made.verdict.model_copy(update=sure)
        future: Future[Judgement] = Future()
        future.set_result(made.model_copy(update={"verdict": verdict}))
        return future


@contextmanager
def served(judge: ScriptedJudge, **terms: Any) -> Iterator[EvaluationServer]:
    made = ServedTerms(Settings(level=Level.SMOKE, timeout_s=50.0), **terms)
    with EvaluationServer(("127.0.0.1", 0), cast(Judge, judge), made) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            judge.let_go.set()
            server.shutdown()
            thread.join()


def ask(
    server: EvaluationServer,
    body: Any = BODY,
    headers: dict[str, str] | None = None,
    path: str = "/evaluate",
) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=120)
    try:
        method = "GET" if body is None else "POST"
        data = body if isinstance(body, str | bytes | None) else json.dumps(body)
        connection.request(method, path, data, JSON | (headers or {}))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_a_verdict_comes_back_in_kernelgyms_names() -> None:
    judge = ScriptedJudge()
    with served(judge) as server:
        status, found = ask(server, BODY | {"timeout": 7})
    assert status == 200 and found["correctness"] and found["compiled"]
    assert found["kernel_runtime"] == pytest.approx(TIMING.candidate_us / 1000)
    assert found["reference_runtime"] == pytest.approx(TIMING.baseline_us / 1000)
    assert found["speedup"] == TIMING.speedup
    assert found["metadata"]["verdict"]["status"] == "accepted"
    task, kernel, options = judge.asked[0]
    assert task == resolve("softmax") and kernel.main.text == BODY["kernel_code"]
    assert options == {"timeout_s": 7}


@pytest.mark.parametrize(
    ("status", "compiled", "said"),
    [
        (Status.SUSPICIOUS, True, "completed"),
        (Status.DISHONEST, True, "completed"),
        (Status.BUILD_FAILED, False, "completed"),
        (Status.NOT_RUN, False, "failed"),
    ],
)
def test_only_what_is_accepted_is_right_and_has_a_speed(
    status: Status, compiled: bool, said: str
) -> None:
    with served(ScriptedJudge(status)) as server:
        found = ask(server)[1]
    assert (found["correctness"], found["speedup"], found["kernel_runtime"]) == (False, None, None)
    assert (found["compiled"], found["status"]) == (compiled, said)
    assert found["error_code"] == status.value


@pytest.mark.parametrize(
    ("body", "headers", "path", "status", "why"),
    [
        (BODY, {"Origin": "http://evil.example"}, "/evaluate", 403, "web pages"),
        (BODY, {"Content-Type": "text/plain"}, "/evaluate", 415, "application/json"),
        (BODY, {}, "/submit", 404, "POST /evaluate"),
        ("{", {}, "/evaluate", 422, "JSON"),
        ({"task_id": "softmax"}, {}, "/evaluate", 422, "kernel_code"),
        (BODY | {"task_id": "no_such"}, {}, "/evaluate", 400, "no_such"),
        (BODY | {"task_id": "../x.py"}, {}, "/evaluate", 400, "name of a native task"),
        (BODY | {"task_id": "setup.py"}, {}, "/evaluate", 400, "name of a native task"),
        (BODY | {"task_id": ""}, {}, "/evaluate", 400, "name of a native task"),
        (BODY | {"reference_code": "x = 1"}, {}, "/evaluate", 400, "--allow-references"),
        (BODY | {"kernel_code": "x" * (5 * 2**20)}, {}, "/evaluate", 413, "at most"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(
    body: Any, headers: dict[str, str], path: str, status: int, why: str
) -> None:
    judge = ScriptedJudge()
    with served(judge) as server:
        found = ask(server, body, headers, path)
    assert found[0] == status and why in found[1]["detail"]
    assert judge.asked == []


def test_references_are_taken_where_that_is_allowed() -> None:
    judge = ScriptedJudge()
    source = resolve("softmax").source
    with served(judge, allow_references=True) as server:
        assert ask(server, BODY | {"task_id": "mine", "reference_code": source})[0] == 200
        assert ask(server, BODY | {"reference_code": "x = 1\n"})[0] == 400
    assert judge.asked[0][0].source == source


def test_a_token_is_asked_for() -> None:
    with served(ScriptedJudge(), token="t0ken") as server:
        assert ask(server)[0] == 401
        assert ask(server, headers={"Authorization": "Bearer other"})[0] == 401
        assert ask(server, headers={"Authorization": "Bearer t0ken"})[0] == 200
        assert ask(server, None, path="/health")[0] == 200


def test_more_than_may_wait_are_refused() -> None:
    judge = ScriptedJudge(held=True)
    with served(judge, most_waiting=1) as server:
        first = threading.Thread(target=ask, args=(server,))
        first.start()
        assert judge.began.wait(30)
        assert ask(server, None, path="/workers/status")[1] == {"in_progress": 1, "served": 0}
        status, found = ask(server)
        assert status == 503 and "wait already" in found["detail"]
        judge.let_go.set()
        first.join()
        assert ask(server)[0] == 200


def test_health_says_what_is_served() -> None:
    with served(ScriptedJudge()) as server:
        status, found = ask(server, None, path="/health")
        assert ask(server, None, path="/secrets")[0] == 404
    assert status == 200 and (found["status"], found["level"]) == ("healthy", "smoke")
