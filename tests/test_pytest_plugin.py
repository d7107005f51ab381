"""The pytest plug-in, in test suites of its own around a scripted pipeline."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from assay import pytest_plugin
from assay.data.settings import Level, Settings
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from sample_records import WRONG, verdict

# Under the name of its entry point it may or may not be installed.
ARGUMENTS = ("-p", "no:assay", "-p", "assay.pytest_plugin", "-p", "no:cacheprovider")


class Scripted:
    """Judges by the candidate's name."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, dict[str, Any]]] = []

    def evaluate(self, task: str, candidate: str, **options: Any) -> Verdict:
        self.calls.append((task, candidate, options))
        if task == "no_such":
            raise UsageError("no task 'no_such'")
        if "wrong" in candidate:
            return verdict(Status.INCORRECT, reason="cols=7: wrong", evidence=(WRONG,))
        return verdict()


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    scripted = Scripted()
    module = ModuleType("assay.pipeline")
    module.evaluate = scripted.evaluate  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "assay.pipeline", module)
    return scripted


def _run(pytester: pytest.Pytester, body: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(body)
    return pytester.runpytest_inprocess(*ARGUMENTS, *arguments)


def test_a_kernel_beside_the_test_is_accepted(
    pytester: pytest.Pytester, pipeline: Scripted
) -> None:
    kernel = pytester.makefile(".py", kernel="class ModelNew: ...")
    body = """
        def test_softmax(assay_kernel):
            assay_kernel("softmax", "kernel.py").assert_accepted()
    """
    _run(pytester, body).assert_outcomes(passed=1)
    assert pipeline.calls == [("softmax", str(kernel), {"level": "quick", "timing": False})]


def test_a_failure_shows_status_reason_and_evidence_with_places(
    pytester: pytest.Pytester, pipeline: Scripted
) -> None:
    body = """
        def test_softmax(assay_kernel):
            assay_kernel("softmax", "wrong.py").assert_accepted()
    """
    result = _run(pytester, body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            '>*assay_kernel("softmax", "wrong.py").assert_accepted()',
            "*expected accepted, but:",
            "*convicts wrong_value  output[[]0, 3]: got 0, expected 1",
            "*incorrect  right no, honest unknown. cols=7: wrong*",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py:*AssertionError*")


def test_the_call_decides_over_the_marker_over_the_command_line(
    pytester: pytest.Pytester, pipeline: Scripted
) -> None:
    body = """
        import pytest

        def test_plain(assay_kernel):
            assay_kernel("softmax", "a.py")

        @pytest.mark.assay_kernel(task="gelu", level="full", track="open")
        def test_marked(assay_kernel):
            assay_kernel("b.py")
            assay_kernel("c.py", level="standard", timing=True)
    """
    result = _run(pytester, body, "--assay-level", "smoke", "--assay-device", "cuda")
    result.assert_outcomes(passed=2)
    (_, _, plain), (task, candidate, marked), (_, _, called) = pipeline.calls
    assert plain == {"level": "smoke", "timing": False, "device": "cuda"}
    assert (task, candidate) == ("gelu", "b.py")
    assert marked == {"level": "full", "timing": False, "device": "cuda", "track": "open"}
    assert called == {**marked, "level": "standard", "timing": True}


def test_a_marked_test_that_does_not_take_the_fixture_is_judged(
    pytester: pytest.Pytester, pipeline: Scripted
) -> None:
    body = """
        import pytest

        @pytest.mark.assay_kernel(task="gelu", candidate="wrong.py")
        def test_wrong():
            pass

        @pytest.mark.assay_kernel(task="gelu", candidate="right.py")
        def test_right():
            pass

        @pytest.mark.assay_kernel(task="gelu")
        def test_nothing_to_judge():
            pass
    """
    result = _run(pytester, body)
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*assay_kernel(TASK, CANDIDATE): candidate not given*"])


def test_the_verdict_is_in_the_report(pytester: pytest.Pytester, pipeline: Scripted) -> None:
    body = """
        def test_softmax(assay_kernel):
            assay_kernel("softmax", "a.py").assert_accepted()
    """
    pytester.makepyfile(body)
    recorder = pytester.inline_run(*ARGUMENTS)
    (report,) = [r for r in recorder.getreports("pytest_runtest_logreport") if r.when == "call"]
    properties = dict(report.user_properties)
    assert properties["assay_status"] == "accepted"
    assert json.loads(properties["assay_verdict"])["task"] == "softmax"


def test_a_mistake_is_one_line(pytester: pytest.Pytester, pipeline: Scripted) -> None:
    body = """
        def test_softmax(assay_kernel):
            assay_kernel("no_such", "a.py").assert_accepted()
    """
    result = _run(pytester, body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["assay: no task 'no_such'"])
    result.stdout.no_fnmatch_line("During handling of the above exception*")


def test_a_cheat_may_be_expected(pytester: pytest.Pytester, pipeline: Scripted) -> None:
    body = """
        def test_wrong(assay_kernel):
            assay_kernel("softmax", "wrong.py").assert_status("incorrect")

        def test_right(assay_kernel):
            assay_kernel("softmax", "a.py").assert_status("incorrect")
    """
    _run(pytester, body).assert_outcomes(passed=1, failed=1)


def test_levels_and_settings_are_the_real_ones() -> None:
    assert tuple(level.value for level in Level) == pytest_plugin._LEVELS
    assert pytest_plugin._DEFAULT_LEVEL in pytest_plugin._LEVELS
    assert {"level", "device", "track", "timing"} <= set(Settings.model_fields)


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, assay.pytest_plugin; "
        "print([n for n in ('torch', 'numpy', 'rich', 'pydantic', 'assay.pipeline') "
        "if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
