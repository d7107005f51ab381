"""`assay hot` and `assay apply`: mistakes, and what is printed of records."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from assay.app.main import main
from assay.app.models.model_text import apply_page, hot_page
from assay.data.verdict import Status
from assay.workbench.models.apply_report import AppliedKernel, ApplyReport, GainFound
from assay.workbench.models.hot_model import ModelFile
from workbench.models.test_applied_model import MODEL
from workbench.models.test_apply_kernels import report_of
from workbench.models.test_gain_ranking import timing


def shown(page: object) -> str:
    console = Console(width=400, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(page)
    return console.export_text()


def test_a_model_that_is_not_there_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hot", "no/such/model.py"]) == 2
    assert "no/such/model.py" in capsys.readouterr().err


def test_a_report_that_cannot_be_read_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hot.json").write_text("{}")
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    given = ["--hot", str(tmp_path / "hot.json"), "--kernel", "a=b.py"]
    assert main(["apply", str(model), *given]) == 2
    assert "hot.json" in capsys.readouterr().err


def test_the_page_of_a_profile(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    page = shown(hot_page(report_of(ModelFile.named(str(tmp_path / "model.py")))))
    assert "mul + relu" in page
    assert "50.0 %" in page
    assert "m_mul_relu" in page
    assert "no limits known" in page


def test_the_page_of_applied_kernels() -> None:
    kernel = AppliedKernel(
        task="m_mul_relu",
        kernel="kernel.py",
        status=Status.ACCEPTED,
        reason="right",
        seconds=1.0,
        share=0.5,
        operation_us=40.0,
        eager_us=40.0,
        kernel_us=10.0,
        speedup=4.0,
        speedup_low=3.8,
        speedup_high=4.2,
        calls=2,
        calls_seen=2,
        used=True,
    )
    refused = kernel.model_copy(
        update={"status": Status.INCORRECT, "speedup": None, "used": False, "reason": "wrong"}
    )
    report = ApplyReport(
        model="model.py",
        device="cpu",
        written="out/model_applied.py",
        kernels=(kernel, refused),
        predicted=GainFound(speedup=1.6, low=1.58, high=1.62),
        status=Status.ACCEPTED,
        reason="right on every workload",
        measured=GainFound(speedup=1.5, low=1.45, high=1.55),
        difference_percent=-6.25,
        intervals_meet=False,
        timings=(timing("eager", 1.5), timing("compile", 0.9)),
    )
    page = shown(apply_page(report))
    assert "4.00x [3.80 4.20]" in page
    assert "incorrect" in page
    assert "predicted 1.600x [1.580 1.620]" in page
    assert "-6.2 % beside the predicted one, the intervals do NOT overlap" in page
    assert "over compile" in page
