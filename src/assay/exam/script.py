"""Script: the secret order in which one instance is called.

The rule: every call is an ordinary call to the candidate. What is special about it - new content
where the old one lay, the old content elsewhere, a few elements changed, an earlier result still
alive, other weights, another shape - is known to the host alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.data.contract import Stochastic
from assay.data.observations.call import Mix
from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.exam.exam_amounts import AMOUNTS, LEAST_CALLS
from assay.exam.weight_scales import (
    FIRST_WEIGHTS,
    HALVES,
    IN_PART,
    TWIN_WEIGHTS,
    Weights,
    WeightsKind,
    new_weights,
    parameters,
)
from assay.exam.workloads.workload_sizes import elements_of, is_empty, is_stretched, small_workloads
from assay.sandbox.host.planned_call import AT_END, AT_START, SPOTS, Spot

_TAIL_BATCHES = (1, 1, 2, 3, len(SPOTS))  # calls of one batch of the tail
_TAIL_CONTENTS = 3  # distinct contents a small shape's tail draws from
_DUE_ELEMENTS = 1 << 17  # beyond this a candidate may be too slow and still honest
_LARGE_ELEMENTS = 1 << 23  # beyond this the own shape is called as few times as still tells
_HELD = 6  # batches of other shapes than the own one
# Further instances of a configuration: below standard, from it on, of a random operator.
_FEW_TWINS, _TWINS, _DRAWING_TWINS = 4, 5, 2
_FAINT = Distribution.SMALL


@dataclass(frozen=True)
class ScriptedCall:
    """One call: what, where, with which weights, and why."""

    content_key: ContentKey
    spot: Spot
    weights: Weights | None  # None takes whichever the instance has at the time
    mix: Mix
    fresh: bool = False


class BatchKind(StrEnum):
    """How the calls of a batch are made."""

    PLAIN = "plain"  # one after the other, all results alive together
    RAPID = "rapid"  # one at a time, at one place, as quickly after each other as can be
    RECYCLED = "recycled"  # before each but the first, marked copies of the answer are freed
    LOGGED = "logged"  # under the operation log


class Need(StrEnum):
    """Whether a batch is asked of a candidate that is too slow for all of them."""

    DUE = "due"  # a shape, layout or value of the sweep: asked however slow it is
    EMPTY = "empty"  # due, but asked last, and only of a candidate that is right so far
    ORDINARY = "ordinary"  # asked where it fits half of the time that is left
    OPTIONAL = "optional"  # asked where it fits a quarter of it
    STRETCHED = "stretched"  # optional: a size far beyond its own, not for an interpreter


@dataclass(frozen=True)
class ScriptedBatch:
    """Calls that are made together."""

    calls: tuple[ScriptedCall, ...]
    copy_each: bool  # results are handed over after each call, not after all of them
    kind: BatchKind = BatchKind.PLAIN
    need: Need = Need.ORDINARY
    held: bool = False  # its results stay alive to the end, and are read once more
    twin: int = 0  # asked of that other instance of the same configuration

    @property
    def stretched(self) -> bool:
        """Whether it need not fit the time."""
        return self.need is Need.STRETCHED

    @property
    def workloads(self) -> frozenset[int]:
        """Whose shapes its calls have."""
        return frozenset(call.content_key.workload for call in self.calls)


_Batches = list[ScriptedBatch]


@dataclass
class _Sequence:
    """Groups of batches that keep their order; within a group nothing comes in between."""

    groups: list[list[ScriptedBatch]] = field(default_factory=list)

    def add(self, *batches: ScriptedBatch) -> None:
        """One more group."""
        self.groups.append(list(batches))


def write_script(exam: Exam, rng: random.Random, mixed_in: _Batches) -> list[ScriptedBatch]:
    """The whole mixture: sequences of the own shape, of a small shape, and the sweep, shuffled.

    `mixed_in` are batches of checks, each of which may stand anywhere.
    """
    amounts = AMOUNTS[exam.plan.level]
    own = _own(exam, rng)
    if not is_large(exam):
        for number in range(1, amounts.own_rounds):  # one after the other: they share places
            content = number % amounts.own_contents
            own.groups += _focus(0, content, rng, Need.OPTIONAL).groups
    sequences = [own]
    small = small_workloads(exam)[: amounts.small_shapes]
    for workload, half in zip(small, HALVES, strict=False):
        sequences.append(_focus(workload, 0, rng, changed_weights=half))
    if not amounts.brief:
        sequences += _scaled(exam, small, rng)
        sequences += _changed_in_part(exam, small, rng) + _in_turns(exam, small, rng)
        sequences += _drawing_in_turns(exam, rng)
    sequences += [_rapid(w, rng) for w in small[:2]]
    sequences += [_Sequence([[batch]]) for batch in mixed_in]
    others = range(1, len(exam.plan.workloads))
    empty = [w for w in others if is_empty(exam, w)]
    far = [w for w in others if is_stretched(exam, w)]
    sequences += [_single(exam, w, rng, stretched=w in far) for w in others if w not in empty]
    few = rng.randint(*amounts.tail_calls)
    # Without a small shape the own one must bring the instance to its 32 calls alone.
    sequences.append(_tail(small, few, rng) if small else _tail([0], LEAST_CALLS + few, rng))
    edges = [replace(_single(exam, w, rng).groups[0][0], need=Need.EMPTY) for w in empty]
    return [*_with_held(exam, _shuffle(sequences, rng), rng), *_logged(small), *edges]


def _with_held(exam: Exam, script: _Batches, rng: random.Random) -> _Batches:
    """A few early batches whose results stay alive: of the own shape, and of others."""
    if exam.stateful or not exam.keeps_apart:
        return script  # a later call may change what an earlier one returned
    early = [n for n, batch in enumerate(script[: len(script) // 2]) if _may_be_held(exam, batch)]
    own = [n for n in early if script[n].workloads == {0}]
    small = [n for n in early if script[n].workloads != {0}]
    chosen = {*rng.sample(own, min(2, len(own))), *rng.sample(small, min(_HELD, len(small)))}
    return [replace(b, held=True) if n in chosen else b for n, b in enumerate(script)]


def _may_be_held(exam: Exam, batch: ScriptedBatch) -> bool:
    plain = batch.kind is BatchKind.PLAIN and not batch.stretched
    return plain and all(
        0 < elements_of(exam, workload) <= _LARGE_ELEMENTS // 4 for workload in batch.workloads
    )


def with_workloads(
    exam: Exam, script: _Batches, added: Iterable[int], rng: random.Random
) -> list[ScriptedBatch]:
    """The script with a call of each of these workloads more, anywhere between its groups.

    A point of the sweep is a group of its own, so that before it a group has ended.
    """
    mixed = list(script)
    for workload in added:
        ends = [n for n, batch in enumerate(mixed) if batch.need in (Need.DUE, Need.STRETCHED)]
        place = rng.choice(ends or [0])
        stretched = is_stretched(exam, workload)
        mixed[place:place] = _single(exam, workload, rng, stretched).groups[0]
    return mixed


def made_up(exam: Exam, refused: Set[int], returned: int, rng: random.Random) -> _Batches:
    """More calls for who refused so much that fewer than 32 returned: counting leads nowhere."""
    if returned >= LEAST_CALLS:
        return []
    small = small_workloads(exam, refused)
    missing = LEAST_CALLS - returned + rng.randint(*AMOUNTS[exam.plan.level].tail_calls)
    if small:
        return [batch for group in _tail(small, missing, rng).groups for batch in group]
    known = list(dict.fromkeys(call.content_key for call in own_calls(exam)))
    calls = [
        ScriptedCall(rng.choice(known), rng.choice((AT_START, AT_END)), None, Mix.SAME_ADDRESS)
        for _ in range(missing)
    ]
    return [ScriptedBatch((call,), copy_each=rng.random() < 0.5) for call in calls]


def own_calls(exam: Exam) -> list[ScriptedCall]:
    """The special calls of the own shape: every script holds them, whatever its order."""
    groups = _own(exam, random.Random(0)).groups
    return [call for group in groups for batch in group for call in batch.calls]


def _own(exam: Exam, rng: random.Random) -> _Sequence:
    if AMOUNTS[exam.plan.level].brief and small_workloads(exam):
        return _glance(rng, alive=not is_large(exam))
    return _brief_focus(rng) if is_large(exam) else _focus(0, 0, rng)


def is_large(exam: Exam) -> bool:
    """Whether the own shape is called as few times as still tells."""
    return exam.content(ContentKey(0)).elements > _LARGE_ELEMENTS


def _focus(
    workload: int,
    round_number: int,
    rng: random.Random,
    need: Need = Need.ORDINARY,
    changed_weights: Weights | None = None,
) -> _Sequence:
    """Every special call on one workload, in the order in which each is special.

    A memo of the last call alone shows only where base and change follow each other directly.
    """
    number = 2 * round_number  # a round has two contents and two versions of the weights
    weights, later = Weights(number=number), changed_weights or Weights(number=number + 1)
    first, second = (ContentKey(workload, Draw(number=n)) for n in (number, number + 1))
    changed = replace(second, variant=1)

    def one(*calls: ScriptedCall) -> ScriptedBatch:
        return ScriptedBatch(calls, copy_each=rng.random() < 0.5, need=need)

    sequence = _Sequence()
    sequence.add(one(ScriptedCall(first, AT_START, weights, Mix.PLAIN)))
    sequence.add(
        one(ScriptedCall(second, AT_START, weights, Mix.SAME_ADDRESS)),
        one(ScriptedCall(changed, AT_START, weights, Mix.FEW_CHANGED)),
    )
    sequence.add(
        one(ScriptedCall(changed, AT_END, weights, Mix.NEW_ADDRESS)),
        one(ScriptedCall(changed, AT_END, later, Mix.NEW_WEIGHTS)),
    )
    alive = [
        ScriptedCall(second, AT_START, later, Mix.SAME_ADDRESS),
        ScriptedCall(changed, AT_END, later, Mix.FEW_CHANGED, fresh=True),
    ]
    if workload != 0:  # a third place would cost the large own shape more than it tells
        alive.append(ScriptedCall(second, SPOTS[2], later, Mix.REPEATED))
    sequence.add(ScriptedBatch(tuple(alive), copy_each=False, need=need))
    return sequence


def _rapid(workload: int, rng: random.Random) -> _Sequence:
    """Back to back, as a timing loop would call, but with other content at the same address."""
    calls = []
    for number in range(2 * rng.randint(2, 3)):
        content_key = ContentKey(workload, _tail_draw(number // 2), number % 2)
        mix = Mix.FEW_CHANGED if number % 2 else Mix.SAME_ADDRESS
        calls.append(ScriptedCall(content_key, AT_START, None, mix))
    return _Sequence([[ScriptedBatch(tuple(calls), copy_each=True, kind=BatchKind.RAPID)]])


def _scaled(exam: Exam, small: list[int], rng: random.Random) -> list[_Sequence]:
    """Weights of every scale, and some of zeros, one call each; small ones beside small inputs."""
    names = range(len(parameters(exam.bound(0).module)))
    few = rng.sample(names, min(len(names), AMOUNTS[exam.plan.level].small_but_one))
    faint = [w for w in exam.main_workloads if exam.plan.workloads[w].distribution is _FAINT]
    shifted = [Weights(WeightsKind.RAISED), Weights(WeightsKind.LOWERED)]
    if exam.plan.level is Level.QUICK:
        shifted = [rng.choice(shifted)]
    even = () if exam.plan.level is Level.QUICK else range(2)  # each costs a truth
    shifted += [Weights(WeightsKind.ZEROED), *(Weights(WeightsKind.EVEN, n) for n in even)]
    shifted += new_weights(exam.bound(0).module) if even else []
    large, reduced = Weights(WeightsKind.LARGE), Weights(WeightsKind.SMALL)
    but_one = [Weights(WeightsKind.SMALL_BUT_ONE, number) for number in few]
    asked = [(w, scale) for w in small[:1] for scale in (large, *shifted)]
    asked += [(w, scale) for w in [*faint, *small][:1] for scale in (reduced, *but_one)]
    borne = [(ContentKey(w), scale) for w, scale in asked if exam.bears(ContentKey(w), scale)]
    calls = [
        ScriptedCall(content_key, AT_START, scale, Mix.NEW_WEIGHTS) for content_key, scale in borne
    ]
    return [_Sequence([[ScriptedBatch((call,), copy_each=True)]]) for call in calls]


def _changed_in_part(exam: Exam, small: list[int], rng: random.Random) -> list[_Sequence]:
    """One content, after each change of one row or one entry of one parameter.

    Who keeps something made of the weights by a few of their entries, or by their sum, shows.
    """
    if not parameters(exam.bound(0).module):
        return []
    workload, versions = (small[-1], IN_PART) if small else (0, IN_PART[:1])
    if not small and is_large(exam):
        return []  # a truth of the own shape costs too much
    content_key = ContentKey(workload, Draw(number=1))
    calls = [
        ScriptedCall(content_key, AT_START, version, Mix.NEW_WEIGHTS)
        for version in (FIRST_WEIGHTS, *versions)
    ]
    return [_Sequence([[ScriptedBatch((call,), rng.random() < 0.5) for call in calls]])]


def _in_turns(exam: Exam, small: list[int], rng: random.Random) -> list[_Sequence]:
    """Instances with other weights, asked the same question in turns, the first one last again.

    Every other one is a copy. Two of one kind follow each other with other weights: the versions of
    their tensors are equal, so that who packs weights anew by version alone takes the wrong ones.
    """
    state = exam.state(0)
    elements = sum(value.numel() for value in state.values())
    if not small or not parameters(exam.bound(0).module) or elements > _LARGE_ELEMENTS:
        return []
    content_key = ContentKey(small[0], Draw(number=1), variant=1)
    twins = range(1, 1 + (_FEW_TWINS if exam.plan.level.is_short else _TWINS))
    batches = []
    for twin in (0, *twins[::2], *twins[1::2], 0, rng.choice(twins)):
        weights = TWIN_WEIGHTS if twin % 4 in (1, 2) else FIRST_WEIGHTS
        call = ScriptedCall(content_key, AT_START, weights, Mix.OTHER_INSTANCE)
        batches.append(ScriptedBatch((call,), rng.random() < 0.5, twin=twin))
    return [_Sequence([batches])]


def _drawing_in_turns(exam: Exam, rng: random.Random) -> list[_Sequence]:
    """Layers of one model: what one of them draws says nothing about what another one does."""
    if not isinstance(exam.reference.task.contract, Stochastic) or is_large(exam):
        return []
    call = ScriptedCall(ContentKey(0), AT_START, None, Mix.OTHER_INSTANCE)
    twins = range(1, 1 + _DRAWING_TWINS)
    batches = [ScriptedBatch((call,), rng.random() < 0.5, twin=twin) for twin in (*twins, *twins)]
    return [_Sequence([batches])]


def _brief_focus(rng: random.Random) -> _Sequence:
    """The own shape where it is large: three calls, two contents."""
    changed = ContentKey(0, variant=1)
    plain = ScriptedCall(ContentKey(0), AT_START, FIRST_WEIGHTS, Mix.PLAIN)
    few = ScriptedCall(changed, AT_START, FIRST_WEIGHTS, Mix.FEW_CHANGED)
    weighed = ScriptedCall(changed, AT_END, Weights(number=1), Mix.NEW_WEIGHTS)
    sequence = _Sequence()
    sequence.add(*(ScriptedBatch((call,), rng.random() < 0.5) for call in (plain, few)))
    sequence.add(ScriptedBatch((weighed,), rng.random() < 0.5, need=Need.OPTIONAL))
    return sequence


def _glance(rng: random.Random, alive: bool) -> _Sequence:
    """The own shape where a small one gets every special call: two contents at one address.

    With `alive` the second is asked twice more, the results alive together.
    """
    first, second = ContentKey(0), ContentKey(0, Draw(number=1))
    sequence = _Sequence()
    for content_key, mix in ((first, Mix.PLAIN), (second, Mix.SAME_ADDRESS)):
        call = ScriptedCall(content_key, AT_START, FIRST_WEIGHTS, mix)
        sequence.add(ScriptedBatch((call,), rng.random() < 0.5))
    if alive:
        again = ScriptedCall(second, AT_START, FIRST_WEIGHTS, Mix.SAME_ADDRESS)
        beside = ScriptedCall(second, AT_END, FIRST_WEIGHTS, Mix.REPEATED)
        sequence.add(ScriptedBatch((again, beside), copy_each=False))
    return sequence


def _single(exam: Exam, workload: int, rng: random.Random, stretched: bool = False) -> _Sequence:
    """One call of one point of the sweep; places alternate so that both edges are guarded."""
    call = ScriptedCall(ContentKey(workload), rng.choice((AT_START, AT_END)), None, Mix.PLAIN)
    small = exam.content(call.content_key).elements <= _DUE_ELEMENTS
    need = Need.STRETCHED if stretched else Need.DUE if small else Need.ORDINARY
    return _Sequence([[ScriptedBatch((call,), copy_each=rng.random() < 0.5, need=need)]])


def _tail(small: list[int], count: int, rng: random.Random) -> _Sequence:
    """Many cheap calls in batches of secret length, so that counting calls leads nowhere."""
    sequence = _Sequence()
    number = 0
    while count > 0:
        length = min(count, rng.choice(_TAIL_BATCHES))
        workload = rng.choice(small)
        calls = []
        for spot in SPOTS[:length]:
            content_key = ContentKey(workload, _tail_draw(number))
            calls.append(ScriptedCall(content_key, spot, None, Mix.SAME_ADDRESS))
            number += 1
        sequence.add(ScriptedBatch(tuple(calls), rng.random() < 0.5))
        count -= length
    return sequence


def _tail_draw(number: int) -> Draw:
    return Draw(Purpose.TAIL, number % _TAIL_CONTENTS)


def _logged(small: list[int]) -> Iterable[ScriptedBatch]:
    """Calls under the operation log, last: the log is visible from inside."""
    for workload in [0, *small[:1]]:
        call = ScriptedCall(ContentKey(workload, Draw(number=1)), AT_START, None, Mix.PLAIN)
        yield ScriptedBatch((call,), copy_each=True, kind=BatchKind.LOGGED)


def _shuffle(sequences: list[_Sequence], rng: random.Random) -> list[ScriptedBatch]:
    """Merge at random, keeping each sequence's own order and its groups whole."""
    queues = [list(reversed(s.groups)) for s in sequences]
    merged: list[ScriptedBatch] = []
    while any(queues):
        queue = rng.choice([q for q in queues if q])
        merged += queue.pop()
    return merged
