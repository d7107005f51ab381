"""A tree that does not stand still at once is asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.sandbox.host import control_group
from assay.sandbox.host.control_group import ControlGroup


class _Slow(ControlGroup):
    """A group whose kernel says "frozen" only after so many requests."""

    def __init__(self, folder: Path, needed: int) -> None:
        super().__init__({"freezer2": folder})
        self.needed, self.asked, self.thawed = needed, 0, 0

    def _write(self, name: str, text: str) -> None:
        self.asked += text == "1"
        self.thawed += text == "0"

    def _read(self, name: str) -> str:
        return f"frozen {int(self.asked >= self.needed)}"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_group, "_FREEZE_TIMEOUT_S", 0.02)


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_freezing_is_tried_again(tmp_path: Path, needed: int) -> None:
    group = _Slow(tmp_path, needed)
    group.freeze()
    assert (group.asked, group.thawed) == (needed, needed - 1)


def test_a_tree_that_never_stands_still_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match="frozen 1"):
        _Slow(tmp_path, 9).freeze()
