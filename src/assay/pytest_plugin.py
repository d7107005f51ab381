"""Pytest plug-in: kernels judged in a test suite.

    def test_softmax(assay_kernel):
        assay_kernel("softmax", "kernel.py").assert_accepted()

The rule: nothing heavy is imported before a kernel is judged, so that collecting tests costs
nothing. A test that carries the marker is judged even where it does not take the fixture: no such
test passes without a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.data.verdict import Status, Verdict

MARKER = FIXTURE = "assay_kernel"
_LEVELS = ("smoke", "quick", "standard", "full")  # a test holds them to the enum
_DEFAULT_LEVEL = "quick"
_WIDTH = 100  # columns of a failure's text


def pytest_addoption(parser: pytest.Parser) -> None:
    """Flags that apply where neither the call nor the marker says otherwise."""
    group = parser.getgroup("assay", "kernels judged by Assay")
    group.addoption(
        "--assay-level",
        choices=_LEVELS,
        default=None,
        help=f"how much is tried of a kernel (default: {_DEFAULT_LEVEL})",
    )
    group.addoption(
        "--assay-device", metavar="NAME", default=None, help="where kernels run (default: cpu)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    line = (
        f"{MARKER}(task, candidate, level, device, track, ...): how the kernels of a test are "
        "judged; any field of assay.Settings may be given"
    )
    config.addinivalue_line("markers", line)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Judge the kernel of a marked test that does not take the fixture."""
    __tracebackhide__ = True
    if item.get_closest_marker(MARKER) and FIXTURE not in getattr(item, "fixturenames", ()):
        KernelJudge(item)().assert_accepted()


@pytest.fixture
def assay_kernel(request: pytest.FixtureRequest) -> KernelJudge:
    """Judges kernels: `assay_kernel(task, candidate)`; with a marker less need be given."""
    return KernelJudge(request.node)


@dataclass(frozen=True)
class JudgedKernel:
    """A verdict, and what may be asserted of it."""

    verdict: Verdict

    def assert_accepted(self) -> None:
        """Fail unless it is right and honest."""
        __tracebackhide__ = True
        self.assert_status("accepted")

    def assert_status(self, status: Status | str) -> None:
        """Fail unless the verdict has that status."""
        __tracebackhide__ = True
        if self.verdict.status.value != str(status):
            raise AssertionError(f"expected {status}, but:\n{_account(self.verdict)}")


class KernelJudge:
    """Judges kernels for one test, by its marker and the command line."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        marker = item.get_closest_marker(MARKER)
        self._marked: Mapping[str, Any] = marker.kwargs if marker else {}
        if marker and marker.args:
            pytest.fail(f"{MARKER} takes keywords alone: task=..., level=...", pytrace=False)

    def __call__(self, *names: str | Path, **options: Any) -> JudgedKernel:
        """`(task, candidate)`, `(candidate)` or `()`: the marker says what is not given.

        `options` are fields of `assay.Settings`. Speed is measured only with `timing=True`.
        """
        __tracebackhide__ = True
        task, candidate = self._names(names)
        verdict = self._verdict(task, candidate, self._options(options))
        self._item.user_properties.append(("assay_status", verdict.status.value))
        self._item.user_properties.append(("assay_verdict", verdict.model_dump_json()))
        return JudgedKernel(verdict)

    def _names(self, names: tuple[str | Path, ...]) -> tuple[str, str]:
        __tracebackhide__ = True
        given = dict(zip(("candidate", "task"), reversed(names), strict=False))
        found: dict[str, Any] = {
            name: given.get(name, self._marked.get(name)) for name in ("task", "candidate")
        }
        missing = [name for name, value in found.items() if value is None]
        if missing or len(names) > 2:
            text = f"{FIXTURE}(TASK, CANDIDATE): {' and '.join(missing) or 'too many names'}"
            pytest.fail(f"{text}{' not given' if missing else ''}", pytrace=False)
        return self._place(found["task"]), self._place(found["candidate"])

    def _place(self, name: str | Path) -> str:
        """A path beside the test's file where there is one, else the name as it is."""
        if isinstance(name, str) and "\n" in name:
            return name  # a source
        beside = self._item.path.parent / name
        return str(beside) if beside.exists() else str(name)

    def _options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The call's, over the marker's, over the command line's."""
        config = self._item.config
        asked = {
            "level": config.getoption("--assay-level"),
            "device": config.getoption("--assay-device"),
        }
        marked = {k: v for k, v in self._marked.items() if k not in ("task", "candidate")}
        known = {name: value for name, value in asked.items() if value is not None}
        return {"level": _DEFAULT_LEVEL, "timing": False, **known, **marked, **options}

    def _verdict(self, task: str, candidate: str, options: Mapping[str, Any]) -> Verdict:
        """The only place that judges."""
        __tracebackhide__ = True
        from assay.errors import UsageError
        from assay.pipeline import evaluate

        try:
            return evaluate(task, candidate, **options)
        except UsageError as error:
            mistake = str(error)
        pytest.fail(f"assay: {mistake}", pytrace=False)  # outside, or the causes are shown too


def _account(verdict: Verdict) -> str:
    """The verdict as the terminal shows it."""
    from io import StringIO

    from assay.report.console import PlainTextConsole
    from assay.report.terminal import print_verdict

    text = StringIO()
    console = PlainTextConsole(file=text, width=_WIDTH, highlight=False, markup=False)
    print_verdict(console, verdict)
    return text.getvalue().rstrip()
