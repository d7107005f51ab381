"""Modes: is the reference another function in train() than in eval()? Then both are asked.

The rule: found by trying. A reference that returns the same in both modes, buffers included, is
asked in its own alone, and so is one whose other mode is random. A constructor that ends in eval()
says which mode is meant: nobody trains it, and statistics may be folded into weights.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from assay.data.workload import Distribution, Layout, Workload
from assay.errors import TaskError
from assay.tasks.references.reference import Reference
from assay.tasks.references.reference_outputs import Outputs, same

_SEED = 11
_MOST_ELEMENTS = 1 << 17  # of the inputs of a small workload
_OWN_ELEMENTS = 1 << 20  # an own workload beyond this is not asked in the other mode as well
_MOST = 2  # small workloads that are
_TRIES = 3
_HEAVY_STATE = 1 << 22  # two more instances of so many parameters need a reason
_MODAL = re.compile(r"training|Norm|[Dd]ropout|[Rr]relu|Transformer|Attention|LSTM|GRU|RNN")

_KNOWS_MODES = re.compile(
    r"training|\b(?:eval|train)\(|[Bb]atch_?[Nn]orm|[Ii]nstance_?[Nn]orm|[Dd]ropout|[Rr]relu"
    r"|Transformer|MultiheadAttention|LSTM|GRU|RNN|torchvision|transformers|timm"
)


def ignores_modes(source: str) -> bool:
    """Whether nothing in a reference's source can tell train() from eval()."""
    return _KNOWS_MODES.search(source) is None


def in_other_mode(reference: Reference, workloads: Sequence[Workload]) -> tuple[Workload, ...]:
    """Some of the workloads once more, in the mode the constructor does not leave it in."""
    small = [w for w in workloads if _is_plain(w) and 1 < _elements(reference, w) <= _MOST_ELEMENTS]
    for number, workload in enumerate(small[:_TRIES]):
        try:
            other = _other_mode(reference, workload)
        except TaskError:  # one row has no batch statistics
            continue
        if other is None:
            return ()
        own = workloads[0]
        asked = [own] if _elements(reference, own) <= _OWN_ELEMENTS else []
        asked += [w for w in small[number:] if not w.own]
        held = (w.model_copy(update={"own": False, "training": other}) for w in asked)
        legal = (w for w in held if _answers(reference, w))
        return tuple(islice(legal, _MOST + (own in asked)))
    return ()


def _answers(reference: Reference, workload: Workload) -> bool:
    """Whether the reference runs there in this mode."""
    try:
        bound = reference.bind(workload.axes, _SEED, workload.training)
        state = reference.draw_state(bound.module, _SEED)
        bound(reference.draw(workload, _SEED), state, wide=False)
    except TaskError:
        return False
    return True


def _other_mode(reference: Reference, workload: Workload) -> bool | None:
    """False, for eval(), where it is another function than in train(); None where it is not."""
    found = reference.footprint(workload.axes)
    heavy = found is None or found.state_elements > _HEAVY_STATE
    if heavy and not _MODAL.search(reference.task.source):
        return None
    inputs = reference.draw(workload, _SEED)
    own = reference.bind(workload.axes, _SEED)
    if not own.module.training:
        return None
    other = reference.bind(workload.axes, _SEED, training=False)
    state = reference.draw_state(own.module, _SEED)
    alike = _alike(own(inputs, state, wide=False), other(inputs, state, wide=False))
    return None if alike or not other.repeats(inputs, state) else False


def _alike(one: Outputs, other: Outputs) -> bool:
    return one.names == other.names and all(map(same, one.tensors, other.tensors))


def _is_plain(workload: Workload) -> bool:
    own_layout = workload.layout in (Layout.CONTIGUOUS, Layout.OWN)
    return workload.distribution is Distribution.OWN and own_layout


def _elements(reference: Reference, workload: Workload) -> int:
    return sum(reference.input_elements(workload.axes))
