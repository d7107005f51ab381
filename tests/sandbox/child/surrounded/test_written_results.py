"""Results are written into once they were read, but for memory that is not theirs alone."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.child.surrounded.written_results import spans, write_over


@pytest.mark.parametrize(
    "result",
    [
        torch.ones(3, 4),
        torch.ones(3, 4).t(),
        torch.ones(3, dtype=torch.complex64),
        torch.ones(3, dtype=torch.int8),
        torch.ones(3, dtype=torch.bool),
        torch.ones(6)[::2],
    ],
)
def test_every_element_changes(result: torch.Tensor) -> None:
    before = result.clone()
    write_over([result], [])
    assert bool((result != before).all())


def test_what_was_made_without_a_graph_changes_too() -> None:
    with torch.inference_mode():
        result = torch.ones(3)
    write_over([result], [])
    assert bool(result.isnan().all())


def test_elements_between_those_of_a_result_stay() -> None:
    whole = torch.ones(6)
    write_over([whole[::2]], [])
    assert whole[1::2].tolist() == [1.0, 1.0, 1.0]


def test_memory_that_is_kept_stays() -> None:
    given, held = torch.ones(4, 5), torch.nn.Parameter(torch.ones(3))
    write_over([given.t(), given[2:3], held.detach()], spans([given, held, 2.0]))
    assert bool((given == 1.0).all()) and bool((held == 1.0).all())


def test_what_cannot_be_written_is_left() -> None:
    folded = torch.ones(1).expand(4)
    write_over([folded, None, 3.0, torch.empty(0), torch.ones(2).to_sparse()], [])
    assert folded.tolist() == [1.0] * 4
