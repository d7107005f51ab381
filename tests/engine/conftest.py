"""What tests of the engine share."""

from __future__ import annotations

import pytest

from assay.engine import judge_lane
from support.scripted_judge import Script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """In place of judge processes."""
    made = Script()
    monkeypatch.setattr(judge_lane, "JudgeProcess", made)
    return made
