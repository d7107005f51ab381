"""`assay tasks`, `assay inspect` and `assay device`: what they print, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.candidates import short_names
from assay.app.main import main
from assay.data.device import DeviceSurvey
from assay.data.inspection import Inspection
from assay.data.task import Task
from assay.devices import survey as survey_module

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_tasks_lists_the_native_suite(capsys: Captured) -> None:
    assert main(["tasks"]) == 0
    plain = capsys.readouterr().out
    assert main(["tasks", "native", "--json"]) == 0
    tasks = [Task.model_validate_json(line) for line in capsys.readouterr().out.splitlines()]
    assert len(tasks) >= 12
    assert [line.split()[0] for line in plain.splitlines()] == [task.id for task in tasks]


@pytest.mark.parametrize("arguments", [["softmax"], ["native", "softmax"]])
def test_one_task_is_shown_with_its_reference(arguments: list[str], capsys: Captured) -> None:
    assert main(["tasks", *arguments]) == 0
    text = capsys.readouterr().out
    assert text.startswith("softmax  ") and "class Model" in text and "axis" in text
    assert main(["tasks", *arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "softmax"


def test_a_task_is_shown_with_its_draws_and_its_least_time(capsys: Captured) -> None:
    assert main(["tasks", "cross_entropy"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    inputs = {row[1]: " ".join(row[2:]) for row in rows if row[:1] == ["input"]}
    assert inputs["logits"].startswith("torch.randn(") and "torch.randint(" in inputs["targets"]
    assert rows[-1][0] == "cross_entropy" and "us" in rows[-1]


def test_tags_choose_from_a_suite(capsys: Captured) -> None:
    wanted = ["--tag", "category:Fusion", "--tag", "rubric:K4"]
    assert main(["tasks", "native", *wanted, "--json"]) == 0
    found = [Task.model_validate_json(line) for line in capsys.readouterr().out.splitlines()]
    assert found and all({"category:Fusion", "rubric:K4"} <= set(task.tags) for task in found)
    assert main(["tasks", "native", "--tag", "category:Fuson"]) == 2
    assert "category:Fusion" in capsys.readouterr().err
    assert main(["tasks", "softmax", *wanted]) == 2


def test_inspect_reads_without_running(tmp_path: Path, capsys: Captured) -> None:
    mark = tmp_path / "it_ran"
    path = tmp_path / "k.py"
    path.write_text(f"open({str(mark)!r}, 'w')\nclass ModelNew: ...\n")
    assert main(["inspect", str(path), "--json"]) == 0
    inspection = Inspection.model_validate_json(capsys.readouterr().out)
    assert inspection.entry == "ModelNew" and inspection.files
    assert not mark.exists()


def test_inspect_shows_each_shipped_example(capsys: Captured) -> None:
    paths = sorted(str(path) for path in EXAMPLES.glob("*/*__*"))
    assert main(["inspect", *paths]) == 0
    text = capsys.readouterr().out
    assert all(Path(path).name in text for path in paths)


def test_inspect_names_the_kernel_and_the_library_call(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        "import torch\n"
        "class ModelNew(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return torch.softmax(x, -1)\n"
    )
    assert main(["inspect", str(path), "--json"]) == 0
    inspection = Inspection.model_validate_json(capsys.readouterr().out)
    assert inspection.readable and inspection.kernels == ()
    assert any("softmax" in call.name for call in inspection.library_calls)
    assert inspection.evidence != ()
    assert main(["inspect", str(path), "--track", "open", "--json"]) == 0
    assert Inspection.model_validate_json(capsys.readouterr().out).evidence == ()


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runtime").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))


def surveys(text: str) -> list[DeviceSurvey]:
    return [DeviceSurvey.model_validate_json(line) for line in text.splitlines()]


def test_device_says_what_is_here_and_what_is_missing(own_folders: None, capsys: Captured) -> None:
    assert main(["device", "--json"]) == 0
    cpu, cuda = surveys(capsys.readouterr().out)[:2]
    assert cpu.calibration is not None and cpu.judges
    assert cuda.name == "cuda" and (cuda.missing or cuda.device is not None)
    assert main(["device"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("cpu  ") and "A/A noise" in text and "\ncuda  " in text


def test_device_keeps_what_it_measured(
    own_folders: None, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "busy_words", lambda load: "")  # whatever else runs here
    measured = []
    for flags in ([], [], ["--calibrate"]):
        assert main(["device", "--json", *flags]) == 0
        calibration = surveys(capsys.readouterr().out)[0].calibration
        assert calibration is not None
        measured.append(calibration.measured_at)
    assert measured[0] == measured[1] != measured[2]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a/b/x.py", "a/b/y.py"], ["x.py", "y.py"]),
        (["a/b/x.py", "a/c/x.py"], ["b/x.py", "c/x.py"]),
        (["x.py", "a/y.py"], ["x.py", "a/y.py"]),
        (["/r/x.py", "/r/s/y.py"], ["x.py", "s/y.py"]),
        (["/r/x.py", "y.py"], ["/r/x.py", "y.py"]),
        (["a/x.py", "a/x.py"], ["x.py", "x.py"]),
    ],
)
def test_a_table_shows_what_tells_candidates_apart(names: list[str], short: list[str]) -> None:
    assert short_names(names) == short


def test_kernels_that_one_call_may_launch_stand_in_one_order(
    tmp_path: Path, capsys: Captured
) -> None:
    """They are a set: their order was another one in every process."""
    names = [f"kernel_{number}" for number in range(8)]
    defined = "".join(f"@numba.njit\ndef {name}(x):\n    x[0] = 1\n" for name in names)
    chosen = "{n: k for n, k in enumerate([" + ", ".join(names) + "])}"
    path = tmp_path / "k.py"
    path.write_text(
        f"import numba, torch\n{defined}KERNELS = {chosen}\n"
        "class ModelNew(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        y = torch.empty_like(x)\n"
        "        KERNELS[x.dim()](y.numpy())\n"
        "        return y\n"
    )
    assert main(["inspect", str(path), "--json"]) == 0
    inspection = Inspection.model_validate_json(capsys.readouterr().out)
    assert [one.name for one in inspection.launches] == names
