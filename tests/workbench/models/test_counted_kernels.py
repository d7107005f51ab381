from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from assay.data.settings import Settings, Track
from assay.errors import TaskError
from assay.workbench.models.applied_model import Replacement, applied_text
from assay.workbench.models.counted_kernels import CountAnswer, _read, counting_text, kernel_calls
from assay.workbench.models.inference_task import inference_text
from workbench.models.test_applied_model import FORWARD, KERNEL, MODEL, PLACE, group


def applied() -> str:
    return applied_text(MODEL, "Model", FORWARD, [Replacement(group(PLACE), KERNEL)])


def test_the_counting_forward_returns_calls_in_the_place_of_results() -> None:
    """In training mode the model's own forward runs: no kernel is called."""
    scope: dict[str, Any] = {}
    exec(counting_text(applied(), 1), scope)
    model = scope["ModelNew"](4)
    assert model.eval()(torch.ones(2, 4)).tolist() == [1]
    assert model(torch.ones(2, 4)).tolist() == [1]
    assert model.train()(torch.ones(2, 4)).tolist() == [0]


def test_what_could_not_be_counted_is_an_error(tmp_path: Path) -> None:
    ended = subprocess.CompletedProcess[bytes]([], 1, b"", b"first\nno such device\n")
    with pytest.raises(TaskError, match="no such device"):
        _read(tmp_path / "answer.json", ended, 1)
    place = tmp_path / "answer.json"
    place.write_text(CountAnswer(reason="construct: no weights").model_dump_json())
    with pytest.raises(TaskError, match="no weights"):
        _read(place, ended, 1)
    place.write_text(CountAnswer(counts=(2,)).model_dump_json())
    with pytest.raises(TaskError):
        _read(place, ended, 2)
    assert _read(place, ended, 1) == (2,)


@pytest.mark.exhaustive
def test_calls_are_counted_in_a_sandbox(tmp_path: Path) -> None:
    """A model as written is constructed in training mode: there its own forward runs."""
    settings = Settings(track=Track.OPEN)
    written, inference = tmp_path / "model.py", tmp_path / "model_inference.py"
    written.write_text(MODEL)
    inference.write_text(inference_text(MODEL, "Model"))
    assert kernel_calls(written, applied(), 1, settings) == (0,)
    assert kernel_calls(inference, applied(), 1, settings) == (1,)
