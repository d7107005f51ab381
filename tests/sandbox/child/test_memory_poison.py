"""Poison: laid where an allocator does not fill what it hands out, as if it did."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.child import memory_poison

_BYTES = 8192


def _share() -> float:
    """Of fresh memory that holds the pattern."""
    blocks = [torch.empty(_BYTES, dtype=torch.uint8) for _ in range(4)]
    return float(torch.stack([(block == 0xFE).float().mean() for block in blocks]).mean())


@pytest.mark.skipif(
    memory_poison._fills_by_itself(), reason="torch allocates by glibc here, which fills"
)
def test_what_is_taken_next_was_laid() -> None:
    clean = [torch.zeros(_BYTES, dtype=torch.uint8) for _ in range(64)]
    clean.clear()
    before = _share()
    memory_poison.lay_poison([_BYTES])
    assert before < 0.5 < _share()


def test_what_cannot_be_laid_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_poison, "_fills_by_itself", lambda: False)
    memory_poison.lay_poison([0, 1 << 60])
