"""template-search over the suite: batches of points, what is recorded, what is said of it."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from template_coverage import PAGE, RECORD, category, counts, kind_of, reasons, section
from template_record import TemplateRecord, line, summary
from template_search import chosen_tasks, parsed_flags
from template_trials import Asked, TaskSearch, winner_row

from assay.data.candidate import Candidate
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve
from workbench.scripted_search import ScriptedJudge

VERDICTS = ("accepted 1.5", "incorrect", "accepted 3", "accepted 2", "accepted 9")
ASKED = Asked("cpu", 4, 3, "smoke", "full", ("eager",), timing=True, large=False)


class Points(CandidateGenerator):
    """One point after the other; notes what it was told of those before."""

    name = "points"

    def __init__(self) -> None:
        self.told: list[list[str]] = []

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """The first that was not tried."""
        self.told.append([one.status for one in request.tried])
        place = len(request.tried)
        if place == len(VERDICTS):
            return NoCandidate("all were tried")
        text = f"# {VERDICTS[place]}\nclass ModelNew: ...\n"
        return Proposal(candidate_of_text(text), choices={"place": str(place)})


class FutureJudge:
    """A scripted judge that answers at once, or never."""

    def __init__(self, answers: bool = True) -> None:
        self.batches: list[int] = []
        self._answers = answers
        self._judge = ScriptedJudge()

    def submit(self, task: Any, candidate: Candidate, **options: Any) -> Future[Judgement]:
        """As `Judge.submit`."""
        future: Future[Judgement] = Future()
        if self._answers:
            settings = Settings(level=options["level"])
            found = self._judge.evaluate_many(task, [candidate], settings, None, None)
            future.set_result(next(found))
        return future


def searched(judge: Any, until: float = math.inf, asked: Asked = ASKED) -> Any:
    until = min(until, time.monotonic() + 60)
    search = TaskSearch(resolve("softmax"), Points(), judge, asked, until)
    first = search.generator.propose(GenerationRequest(search.task, "cpu"), lambda _: None)
    assert isinstance(first, Proposal)
    return search, list(search.rows(first))


def test_points_are_judged_in_batches_and_the_fastest_is_the_best() -> None:
    search, (early, row) = searched(FutureJudge())
    assert [one["speedup"] for one in early["trials"]] == [1.5, None, 3.0]
    assert (early["complete"], row["complete"]) == (False, True)
    assert [one["speedup"] for one in row["trials"]] == [1.5, None, 3.0, 2.0]
    assert (row["status"], row["speedup"], row["choices"]) == ("accepted", 3.0, {"place": "2"})
    # The second and third were asked for while the first was waiting to be judged.
    assert search.generator.told[1:3] == [[""], ["", ""]]
    assert search.generator.told[3] == ["accepted", "incorrect", "accepted"]


def test_without_times_the_first_point_alone_is_judged() -> None:
    untimed = Asked("cpu", 4, 3, "smoke", "full", ("eager",), timing=False, large=False)
    (row,) = searched(FutureJudge(), asked=untimed)[1]
    assert len(row["trials"]) == 1 and row["complete"]


def test_nothing_is_waited_for_beyond_the_stop_time() -> None:
    began = time.monotonic()
    assert searched(FutureJudge(answers=False), until=began)[1] == []
    assert time.monotonic() - began < 30


def test_rows_are_written_at_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    record = TemplateRecord(path)
    early, row = searched(FutureJudge())[1]
    record.add(early)
    assert TemplateRecord(path).searched == TemplateRecord(path).unconfirmed == []
    record.add(row)
    record.add({"kind": "trials", "task": "sort", "covered": False, "reason": "aten.sort"})
    untimed = {**row, "speedup": None}
    record.add(untimed)
    assert TemplateRecord(path).searched == ["softmax", "sort"]
    assert TemplateRecord(path, timed=True).searched == ["sort"]
    assert TemplateRecord(path, timed=True).unconfirmed == []
    record.add(row)
    record.close()
    record.add({"kind": "trials", "task": "late", "covered": False, "reason": "too late"})
    again = TemplateRecord(path)
    assert again.searched == ["softmax", "sort"]
    assert [row["task"] for row in again.unconfirmed] == ["softmax"]
    said = summary(again, 9, ["eager"])
    assert "2 of 9 tasks looked at: 1 covered, 1 of these with an accepted candidate" in said
    assert "3 accepted, 1 incorrect" in said and "winners against eager: nothing timed" in said
    row = winner_row(resolve("softmax"), again.covered[0], FutureJudge(), ASKED, math.inf)  # type: ignore[arg-type]
    assert row is not None
    again.add({**row, "timing": []})
    assert not TemplateRecord(path).unconfirmed
    assert [one["task"] for one in TemplateRecord(path, timed=True).unconfirmed] == ["softmax"]
    again.add(row)
    assert not TemplateRecord(path, timed=True).unconfirmed
    assert "geometric mean 3.000 over 1 of 1 accepted; 1 faster" in summary(again, 9, ["eager"])
    assert "eager 3.00 [2.85 3.15]" in line(row)


def test_categories_come_in_turn(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "argv", ["template_search.py", "--coverage"])
    tasks = chosen_tasks(parsed_flags())
    kinds = {category(one) for one in tasks}
    first = Counter(category(one) for one in tasks[: len(kinds)])
    assert set(first) == kinds and max(first.values()) == 1


def test_the_table_of_the_page_is_the_record() -> None:
    if not RECORD.exists():
        assert "Not recorded yet" in PAGE.read_text(encoding="utf-8")
        return
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert section(record) in PAGE.read_text(encoding="utf-8")
    for device in record["devices"]:
        found = counts(record, device)
        left_out = sum(count for _, count, _ in reasons(record, device))
        covered = sum(done for done, _ in found.values())
        assert covered + left_out == sum(whole for _, whole in found.values())
        assert not any(kind.startswith("defect") for kind, _, _ in reasons(record, device))


def test_reasons_that_differ_in_numbers_are_of_one_kind() -> None:
    assert kind_of("sizes: 3 and 4: no") == kind_of("sizes: 5 and 6: never") == "sizes: N and N"
    assert kind_of("float8_e4m3fn is not covered") == "float8_e4m3fn is not covered"


_WAITING = """
import sys, threading, time
sys.path.insert(0, sys.argv[1])
from run_end import RunEnd, TimeIsUpError

end = RunEnd(float(sys.argv[2]), grace_s=float(sys.argv[3]))
try:
    print("begun", flush=True)
    time.sleep(60)
except TimeIsUpError as problem:
    print(problem, flush=True)
threading.Thread(target=time.sleep, args=(60,)).start()
if sys.argv[4] == "waits":
    time.sleep(60)
end.leave(3)
"""


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("0.2", "50", "leaves"), 3, "the time was up"),
        (("50", "50", "leaves"), 3, "the run was asked to end"),
        (("0.2", "0.3", "waits"), 124, "the time was up"),
    ],
)
def test_a_run_ends_in_time_whatever_it_waits_for(
    given: tuple[str, str, str], code: int, said: str
) -> None:
    folder = str(Path(__file__).parents[1] / "benchmarks")
    command = [sys.executable, "-c", _WAITING, folder, *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "begun\n"
        if "asked" in said:
            run.send_signal(signal.SIGTERM)
        assert run.stdout.readline() == f"{said}\n"
        assert run.wait(20) == code


@pytest.mark.exhaustive
def test_a_real_run_ends_with_its_summary(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "benchmarks/template_search.py"
    plain = [sys.executable, str(script), "--no-timing", "--trial-level", "smoke"]
    plain += [
        "--level",
        "smoke",
        "--tasks",
        "relu",
        "cumulative_sum",
        "--out",
        str(tmp_path / "rows.jsonl"),
    ]
    for _ in range(2):  # the second time everything is recorded
        done = subprocess.run(plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "2 of 2 tasks looked at: 1 covered" in done.stdout
        assert "1 winners judged anew, 1 of these accepted" in done.stdout
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 3
