"""The demo: labels are held against verdicts, and a difference is never hidden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app.demo import Example, find_examples, run, timed_example
from assay.app.flags import DemoFlags
from assay.data.verdict import Status
from assay.errors import UsageError
from scripted_pipeline import ScriptedPipeline

Kernel = Callable[..., str]


def test_all_as_labelled_is_success(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel("accepted", "softmax/honest__a.py")
    kernel("incorrect", "softmax/wrong__b.py")
    kernel("dishonest", "gelu/cheat__c.py")
    assert run(DemoFlags(tmp_path)) == 0
    text = capsys.readouterr().out
    assert "All 3 verdicts are as labelled." in text
    assert text.index("gelu") < text.index("softmax")


@pytest.mark.parametrize("status", ["incorrect", "suspicious", "not_run"])
def test_a_verdict_that_differs_is_shown_and_fails(
    status: str,
    pipeline: ScriptedPipeline,
    kernel: Kernel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kernel("accepted", "softmax/honest__a.py")
    kernel(status, "softmax/honest__b.py")
    assert run(DemoFlags(tmp_path)) == 1
    text = capsys.readouterr().out
    assert "no: accepted" in text and "1 of 2 verdicts differ" in text


def test_exactly_one_candidate_is_timed_and_every_one_is_judged_once(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path
) -> None:
    for name in ("cheat__a.py", "honest__cpp.py", "honest__z.py", "wrong__z.py"):
        status = {"c": "dishonest", "h": "accepted", "w": "incorrect"}[name[0]]
        kernel(status, f"softmax/{name}")
        kernel(status, f"gelu/{name}")
    assert run(DemoFlags(tmp_path)) == 0
    timed = [call for call in pipeline.calls if call[2].timing]
    assert [len(call[1]) for call in timed] == [1]
    assert sum(len(call[1]) for call in pipeline.calls) == 8
    assert all(call[0].id in ("gelu", "softmax") for call in pipeline.calls)


def test_compiled_honest_examples_are_preferred_for_timing() -> None:
    triton = Example(Path("softmax/honest__triton.py"), "softmax", Status.ACCEPTED)
    cpp = Example(Path("softmax/honest__cpp_rows.py"), "softmax", Status.ACCEPTED)
    wrong = Example(Path("softmax/wrong__cpp.py"), "softmax", Status.INCORRECT)
    assert timed_example([wrong, triton, cpp]) == cpp
    assert timed_example([wrong, triton]) == triton
    assert timed_example([wrong]) is None


def test_unknown_labels_and_empty_folders_are_mistakes(kernel: Kernel, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        find_examples(tmp_path / "none")
    with pytest.raises(UsageError, match="no TASK/LABEL__NAME"):
        find_examples(tmp_path)
    kernel("accepted", "softmax/good__a.py")
    with pytest.raises(UsageError, match="the label 'good' is none of honest, wrong, cheat"):
        find_examples(tmp_path)


def test_the_shipped_examples_are_found() -> None:
    examples = find_examples(Path(__file__).parents[2] / "examples")
    assert {example.expected for example in examples} == {
        Status.ACCEPTED,
        Status.INCORRECT,
        Status.DISHONEST,
    }
    assert len({example.task for example in examples}) >= 6
