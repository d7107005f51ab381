"""Which tasks count, and whose entries they are."""

from __future__ import annotations

from assay.data.verdict import Status
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import DEGENERATE, INVALID, groups
from assay.scores.score_sheets import score_sheet
from graded_samples import entry


def test_tasks_that_prove_nothing_are_left_out_and_counted() -> None:
    tasks = [GradedTask(name) for name in "abc"]
    entries = [
        entry("a", 2.0, remarks=("zeros pass it",)),
        entry("b", status=Status.INVALID_TASK),
        entry("c", 2.0),
    ]
    (one,) = groups(tasks, entries)
    assert [task.name for task in one.tasks] == ["c"]
    assert one.left_out == {DEGENERATE: 1, INVALID: 1}
    (every,) = groups(tasks, entries, keep_all=True)
    assert len(every.tasks) == 3 and not every.left_out


def test_generators_and_devices_are_told_apart_and_runs_stand_for_the_unnamed() -> None:
    entries = [
        entry("a", generator="", run="r1"),
        entry("a", generator="", run="r2"),
        entry("a", device="other"),
        entry("a"),
    ]
    found = groups([GradedTask("a")], entries)
    assert [(one.generator, one.device) for one in found] == [
        ("G", "board"),
        ("G", "other"),
        ("r1", "board"),
        ("r2", "board"),
    ]


def test_an_open_entry_belongs_to_its_runs_device() -> None:
    open_entry = Graded(task="b", candidate_id="x", run="r", generator="G")
    tasks = [GradedTask("a"), GradedTask("b"), GradedTask("c")]
    (one,) = groups(tasks, [entry("a", run="r"), open_entry])
    sheet = score_sheet(one, ["assay"])
    assert sheet.statuses == {"accepted": 1, "open": 1}
    assert (sheet.tasks, sheet.not_attempted, sheet.entries) == (3, 1, 2)
    by_name = {score.name: score.value for score in sheet.scores}
    assert by_name["assay.not_judged"] == 0.5


def test_what_a_check_of_outputs_alone_would_count_is_said() -> None:
    cheat = entry("a", status=Status.DISHONEST, right=True)
    (one,) = groups([GradedTask("a")], [cheat, entry("a", right=True)])
    by_name = {score.name: score.value for score in score_sheet(one, ["assay"]).scores}
    assert by_name["assay.right_not_accepted"] == 0.5
