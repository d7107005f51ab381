"""The command line as other programs see it: exit codes, one line for a mistake, quick help."""

from __future__ import annotations

import inspect
import resource
import subprocess
import sys
from typing import get_args

import pytest

from assay import __version__
from assay.app import flags
from assay.app.command_end import ended
from assay.app.main import app, main
from assay.data.settings import Cache, Level, Settings, Track
from assay.errors import DeviceError, HostError, TaskError, Terminated, UsageError

Captured = pytest.CaptureFixture[str]


def one_line(captured: str) -> str:
    assert captured.startswith("assay: ") and captured.count("\n") == 1
    return captured


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("no such file"), 2),
        (TaskError("no Model"), 1),
        (HostError("no memory"), 3),
        (DeviceError("gone"), 3),
        (KeyboardInterrupt(), 130),
        (Terminated(15), 143),
    ],
)
def test_each_of_our_errors_is_one_line_and_a_code(
    error: BaseException, code: int, capsys: Captured
) -> None:
    def fail() -> None:
        raise error

    assert ended(fail) == code
    assert str(error) in one_line(capsys.readouterr().err)


def test_a_message_of_several_lines_becomes_one(capsys: Captured) -> None:
    def fail() -> None:
        raise UsageError("first\n   second")

    assert ended(fail) == 2
    assert one_line(capsys.readouterr().err) == "assay: first second\n"


def test_a_bug_of_ours_keeps_its_traceback_and_is_code_3(capsys: Captured) -> None:
    def fail() -> None:
        raise ZeroDivisionError("oops")

    assert ended(fail) == 3
    text = capsys.readouterr().err
    assert "Traceback" in text and "assay: our own failure" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval"],
        ["eval", "softmax"],
        ["eval", "softmax", "k.py", "--nope"],
        ["eval", "softmax", "k.py", "--level", "huge"],
        ["eval", "softmax", "k.py", "--track", "x"],
        ["eval", "softmax", "k.py", "--jobs", "0"],
        ["eval", "softmax", "k.py", "--timeout-s", "soon"],
        ["nonsense"],
        ["tasks", "no_such_task"],
        ["tasks", "no_such_suite", "softmax"],
        ["tasks", "native", "no_such_task"],
        ["inspect", "no_such_file.py"],
    ],
)
def test_a_mistake_is_one_line_and_code_2(arguments: list[str], capsys: Captured) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    one_line(captured.err)
    assert captured.out == ""


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"assay {__version__}\n"


def test_no_arguments_show_the_help(capsys: Captured) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("eval", "tasks", "device", "inspect"))


@pytest.mark.parametrize(
    "command", [[], *([name] for name in "eval tasks audit limits profile device inspect".split())]
)
def test_every_command_answers_to_h(command: list[str], capsys: Captured) -> None:
    assert main([*command, "-h"]) == 0
    assert capsys.readouterr().out.startswith("Usage: assay")


def test_completion_knows_the_commands(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for name, value in (
        ("_ASSAY_COMPLETE", "complete_bash"), ("COMP_WORDS", "assay ins"), ("COMP_CWORD", "1"),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == ["inspect"]


def test_flags_offer_exactly_what_the_settings_know() -> None:
    assert set(get_args(flags.TrackName)) == {track.value for track in Track}
    assert set(get_args(flags.LevelName)) == {level.value for level in Level}
    given = flags.EvalFlags(task="task", candidates=["k.py"])
    usual = Settings()
    assert set(get_args(flags.CacheName)) == {cache.value for cache in Cache}
    for name in ("cache", "timeout_s", "build_timeout_s"):
        assert getattr(given, name) == getattr(usual, name)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from assay.app.main import main; main(['eval', '--help']); print(*sys.modules)"
    )
    shown = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "--replay" in shown and "assay.app.flags" in shown.split()
    assert {"torch", "numpy", "scipy", "rich", "assay.data.verdict"} & set(shown.split()) == set()


def test_help_answers_in_a_blink() -> None:
    """Processor time, so that a busy machine does not decide. Torch alone would take a second."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.check_output([sys.executable, "-m", "assay.app.main", "--help"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.6


def test_only_the_flags_of_the_asked_command_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    read: list[type] = []

    def signature(asked: type) -> inspect.Signature:
        read.append(asked)
        return inspect.Signature()

    for command in app.registered_commands:
        monkeypatch.delitem(vars(command.callback), "__signature__", raising=False)
    monkeypatch.setattr(flags, "_signature", signature)
    assert main(["limits", "-h"]) == 0
    assert read == [flags.LimitsFlags]
    for command in app.registered_commands:
        vars(command.callback).pop("__signature__", None)


def test_a_full_disk_under_stdout_is_one_line() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay.app.main", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 3
    assert one_line(done.stderr).endswith(": No space left on device\n")


def test_a_closed_stdout_swallows_the_result_and_keeps_the_code() -> None:
    command = f"{sys.executable} -m assay.app.main --version >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")
