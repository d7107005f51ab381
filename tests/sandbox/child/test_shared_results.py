"""Which outputs of a call share memory with another output, an input or a live result."""

from __future__ import annotations

import torch

from assay.sandbox.child.shared_results import memory_flags
from assay.sandbox.protocol.replies import OutputFlag

NOTHING = OutputFlag(0)


def test_outputs_of_their_own_share_nothing() -> None:
    outputs = [torch.ones(4), torch.ones(4)]
    assert memory_flags(outputs, [torch.ones(4)], [torch.ones(4)]) == [NOTHING, NOTHING]


def test_two_outputs_that_are_one_tensor() -> None:
    one = torch.ones(4)
    assert memory_flags([one, one], [], []) == [OutputFlag.WITHIN] * 2


def test_parts_of_one_allocation_that_only_alternate_are_apart() -> None:
    rows = torch.ones(6, 64)
    apart, within = OutputFlag.MOVED_LATER, OutputFlag.MOVED_LATER | OutputFlag.WITHIN
    assert memory_flags([rows[::2], rows[1::2]], [], []) == [apart] * 2
    assert memory_flags([rows[:, ::2], rows[:, 1::2]], [], []) == [apart] * 2
    assert memory_flags([rows[:, :20], rows[:, 1:21]], [], []) == [within] * 2


def test_a_view_with_fewer_places_than_elements_is_folded() -> None:
    row = torch.ones(8)
    windows, expanded = row.unfold(0, 4, 1), row.expand(3, 8)
    folded = OutputFlag.FOLDED | OutputFlag.MOVED_LATER
    assert memory_flags([windows], [], []) == memory_flags([expanded], [], []) == [folded]
    assert memory_flags([row.view(2, 4).t()], [], []) == [OutputFlag.MOVED_LATER]
    assert memory_flags([torch.ones(1, 8).t()], [], []) == [NOTHING]


def test_nothing_of_an_empty_view_lies_in_one_place() -> None:
    assert memory_flags([torch.ones(0, 9)[:, 8]], [], []) == [NOTHING]


def test_rows_that_are_padded_lie_as_a_plain_copy_does() -> None:
    padded = torch.ones(3, 7, 48)[:, :, :33]
    assert memory_flags([padded], [], []) == [NOTHING]
    assert memory_flags([torch.ones(3, 8, 16)[:, :7, :15]], [], []) == [NOTHING]
    far = (
        padded.transpose(0, 1),
        padded[:, :, :9],
        torch.ones(4, 70)[:, ::2],
        torch.ones(9, 40)[::3],
    )
    for view in far:
        assert memory_flags([view], [], []) == [OutputFlag.MOVED_LATER]


def test_an_input_or_a_live_result_that_is_returned() -> None:
    given, alive = torch.ones(4, dtype=torch.bfloat16), torch.ones(4)
    assert memory_flags([given.view(2, 2)], [given], []) == [OutputFlag.OF_INPUT]
    assert memory_flags([alive[1:]], [given], [alive]) == [OutputFlag.SHARED]


def test_a_python_number_lies_nowhere() -> None:
    """The tensor made of it for the hand-over is gone at once, and its place is used again."""
    assert memory_flags([1.5, torch.ones(0)], [2.5, None], [3]) == [NOTHING] * 2
