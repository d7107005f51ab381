"""`assay bundle` and `assay verify` as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.run import Judgement
from bundled_run import stored

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def bundle(tmp_path: Path, capsys: Captured) -> str:
    stored(tmp_path / "run").close()
    path = str(tmp_path / "a.tar.gz")
    assert main(["bundle", str(tmp_path / "run"), "-o", path]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1].startswith("id ") and "1 of 3 candidates are not judged" in err
    return path


def test_a_bundle_is_verified_line_by_line(bundle: str, capsys: Captured) -> None:
    assert main(["verify", bundle]) == 0
    *lines, counts, last = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["same", "same", "unknown"]
    assert counts == "2 of 3 verdicts follow from what was seen, 0 differ, 1 not judged"
    assert last.startswith("run made-up, Assay ")


def test_json_is_one_record_a_candidate(bundle: str, capsys: Captured, tmp_path: Path) -> None:
    assert main(["verify", bundle, "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["verdict"] for one in found] == ["same", "same", "unknown"]
    assert main(["bundle", str(tmp_path / "run"), "-o", bundle, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["candidates"] == 3 and said["unjudged"] == 1
    assert main(["verify", bundle, "--id", said["id"]]) == 0
    assert main(["verify", bundle, "--id", "00"]) == 2


def test_a_verdict_that_does_not_follow_is_exit_code_one(tmp_path: Path, capsys: Captured) -> None:
    def forge(one: Judgement) -> Judgement:
        verdict = one.verdict.model_copy(update={"reason": "trust me"})
        return one.model_copy(update={"verdict": verdict})

    stored(tmp_path / "run", forge).close()
    path = str(tmp_path / "a.tar.gz")
    assert main(["bundle", str(tmp_path / "run"), "-o", path]) == 0
    capsys.readouterr()
    assert main(["verify", path]) == 1
    out = capsys.readouterr().out
    assert "these differ: reason; the same judge makes another verdict" in out


def test_damage_is_one_line(bundle: str, capsys: Captured, tmp_path: Path) -> None:
    whole = Path(bundle).read_bytes()
    Path(bundle).write_bytes(whole[: len(whole) // 2])
    assert main(["verify", bundle]) == 2
    assert "is truncated" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.tar.gz")]) == 2
    assert main(["bundle", str(tmp_path / "run"), "-o", "/proc/none/a.tar.gz"]) == 2
    assert "cannot write /proc/none/a.tar.gz" in capsys.readouterr().err
