"""What references show about their integers and constants, and what is drawn by it."""

from __future__ import annotations

import random

import pytest
import torch

from assay.data.settings import Level
from assay.data.workload import Distribution, Workload
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.references.reference import Reference
from assay.tasks.values.integer_domains import IntegerForm
from assay.tasks.values.integer_draws import Extent
from support import task_sources as sources

_TAIL = """
def get_init_inputs():
    return []
"""
LENGTHS = (
    """
class Model(nn.Module):
    def forward(self, x, lengths):
        valid = torch.arange(x.shape[1]) < lengths[:, None]
        return (x * valid).sum(1) / lengths
batch = 8
seq = 32
def get_inputs():
    return [torch.randn(batch, seq), torch.full((batch,), seq)]
"""
    + _TAIL
)
GUARDED = (
    """
class Model(nn.Module):
    def forward(self, scores, labels):
        kept = labels >= 0
        return (scores.gather(1, labels.clamp(min=0)[:, None])[:, 0] * kept).sum() / kept.sum()
def get_inputs():
    return [torch.randn(40, 300), torch.randint(0, 10, (40,))]
"""
    + _TAIL
)
CLASSIFIED = (
    """
class Model(nn.Module):
    def forward(self, logits, labels):
        return nn.functional.cross_entropy(logits, labelsARGUMENTS)
def get_inputs():
    return [torch.randn(40, 30), torch.randint(0, 30, (40,))]
"""
    + _TAIL
)


def test_a_length_of_which_the_mean_is_not_finite_is_not_asked() -> None:
    reference = Reference(sources.task(LENGTHS))
    (domain,) = reference.meaning.domains.values()
    assert domain.form is IntegerForm.CONSTANT and domain.low == 1
    workloads = sweep(reference, Level.QUICK, random.Random(3))
    marked = [w for w in workloads if w.distribution is Distribution.MARKED]
    assert {w.scale for w in marked} >= {Extent.WHOLE_ROWS, Extent.LOWEST}
    for workload in marked:
        _, lengths = reference.draw(workload, 6)
        assert lengths.min() >= 1 and lengths.max() <= workload.axes["seq"]
    mixed = next(w for w in marked if w.scale == Extent.WHOLE_ROWS)
    assert len(reference.draw(mixed, 6)[1].unique()) > 2


def test_labels_reach_all_classes_and_what_a_comparison_treats_apart() -> None:
    reference = Reference(sources.task(GUARDED))
    assert reference.meaning.marks == {1: (-1, 0)}
    axes = reference.own_axes
    drawn = Workload(axes=axes, dtype="float32", distribution=Distribution.MARKED)
    labels = reference.draw(drawn, 6)[1]
    assert (labels == -1).any() and labels.max() == 299
    assert torch.equal(reference.draw(drawn, 6)[1], labels)


@pytest.mark.parametrize(
    ("arguments", "marks"),
    [
        ("", {}),
        (", label_smoothing=0.1", {}),
        (", label_smoothing=0.1, ignore_index=7", {1: (7,)}),
        (", label_smoothing=0.1) * (labels != -100).sum(", {1: (-100,)}),
    ],
)
def test_a_label_is_left_out_where_the_task_says_so_and_not_by_an_operators_default(
    arguments: str, marks: dict[int, tuple[int, ...]]
) -> None:
    reference = Reference(sources.task(CLASSIFIED.replace("ARGUMENTS", arguments)))
    assert reference.meaning.marks == marks


def test_inputs_of_plain_floats_have_no_domain() -> None:
    meaning = Reference(sources.task(sources.RESIDUAL)).meaning
    assert not meaning.extents and not meaning.constants.thresholds
