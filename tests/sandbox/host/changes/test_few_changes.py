"""Elements that are other ones while somebody looks."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.host.changes.few_changes import NO_CHANGES, FewChanges


def test_a_tensor_holds_its_changes_meanwhile_and_is_as_before_afterwards() -> None:
    first, second = torch.arange(12.0).view(3, 4), torch.arange(4.0)
    before = first.clone(), second.clone()
    to_first = ((5, torch.tensor(50.0)), (11, torch.tensor(-1.0)))
    changes = FewChanges(((first, to_first), (second, ((0, torch.tensor(9.0)),))))
    with changes.made():
        assert first[1, 1] == 50.0 and first[2, 3] == -1.0 and second[0] == 9.0
        assert (first != before[0]).sum() == 2
    assert torch.equal(first, before[0]) and torch.equal(second, before[1])


def test_a_failure_meanwhile_leaves_nothing_changed() -> None:
    tensor = torch.zeros(4)
    changes = FewChanges(((tensor, ((2, torch.tensor(1.0)),)),))
    with pytest.raises(ValueError, match="seen"), changes.made():
        raise ValueError("seen")
    assert not tensor.any()
    with NO_CHANGES.made():
        assert not tensor.any()
