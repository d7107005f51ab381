"""Is it honest? Findings about memos, phases, delegation, patched state and leftovers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.data.contract import Stochastic
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.call import CallOutcome, CallSeen, Mix
from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.observation import (
    AblationSeen,
    DispatchSeen,
    ObjectsSeen,
    ProvenanceSeen,
    RepetitionSeen,
    SourceSeen,
    StateSeen,
    TimesSeen,
)
from assay.data.settings import Track
from assay.data.verdict import OwnShare
from assay.judge import correctness, reduced_precision, speed_of_light
from assay.judge.behaviour import (
    faster_repeats,
    kernel_generation,
    kernel_share,
    object_symbols,
    own_code_share,
    side_effects,
    watched_rounds,
)
from assay.judge.behaviour.own_names import own_names
from assay.judge.behaviour.state_changes import classify
from assay.judge.correctness import cause, concerns_values
from assay.judge.judge_input import JudgeInput
from assay.source_analysis.delegated_operations import delegated

# Findings of the source that say what it could not find, not what it found.
_NO_PATH = (EvidenceKind.NO_KERNEL, EvidenceKind.DECOY)
_CHANGES_ITS_MIND = (EvidenceKind.MEMO, EvidenceKind.PHASE)
_MARKED = 16  # a planted copy has three marked elements of each output
_LEAST_BEFORE = 2  # right calls of a workload before its wrong ones, for a phase to be told
_LEAST_AFTER = 3  # wrong calls after them


def findings(case: JudgeInput) -> list[Evidence]:
    """Everything dishonest or suspicious, and what was noted beside it."""
    found: list[Evidence] = []
    found += _memo(case)
    found += _unfinished(case)
    found += _lying_tensors(case)
    if not found:
        found += _phase(case) or _borne_out(case)
    found += _source(case)
    found += reduced_precision.findings(case)
    found += _provenance(case)
    for kernels in case.seen(KernelsSeen):
        names = own_names(case.candidate)
        found += kernel_share.findings(kernels, names, case.settings.track)
    recorded = any(kernels.kernels for kernels in case.seen(KernelsSeen))
    for objects in case.seen(ObjectsSeen):
        track, acquitted = case.settings.track, _acquitted(case)
        found += object_symbols.findings(objects, track, acquitted, recorded)
    found += _ablated(case)
    for times in case.seen(TimesSeen):
        found += watched_rounds.findings(times)
    for repeated in case.seen(RepetitionSeen):
        found += faster_repeats.findings(repeated)
    for dispatch in case.seen(DispatchSeen):
        found += delegated(dispatch, case.settings.track, _closing(case))
    found += kernel_generation.findings(case)
    changes = [
        change
        for change in case.seen(StateSeen)
        if change.name != kernel_generation.COUNTED and not correctness.is_parameter(change)
    ]
    found += [classify(change) for change in changes]
    found += [e for e in case.checked if not concerns_values(e)]
    found += side_effects.findings(case)
    found += speed_of_light.findings(case)
    return _distinct(found)


def own_share(case: JudgeInput) -> OwnShare | None:
    """How much of the computing is the candidate's own; None where nothing was sampled."""
    spoken = [seen for seen in case.seen(ProvenanceSeen) if not seen.silenced]
    looks = sorted(spoken, key=lambda seen: (seen.passing, seen.elsewhere, seen.timed))
    for seen in looks:
        own, library = sampled(seen, _interpreted(case)).ours_and_theirs
        if own + library >= (own_code_share.LEAST_SAMPLES if seen.passing else 1):
            found = own_code_share.share(own, library)
            return OwnShare(share=found.mid, low=found.low, high=found.high, samples=own + library)
    return None


def _closing(case: JudgeInput) -> tuple[str, ...]:
    return tuple(name for source in case.seen(SourceSeen) for name in source.closing)


def _source(case: JudgeInput) -> list[Evidence]:
    """What the source shows; that no path was found weighs nothing where one was seen at work."""
    found = [e for e in case.told if e.kind is not EvidenceKind.LOWER_PRECISION]
    delegates = any(e.kind is EvidenceKind.DELEGATION and _is_heavy(e) for e in found)
    if delegates or not _acquitted(case):
        return found
    return [
        e.model_copy(update={"severity": Severity.NOTE}) if e.kind in _NO_PATH else e for e in found
    ]


def _is_heavy(evidence: Evidence) -> bool:
    return evidence.severity is not Severity.NOTE


def _provenance(case: JudgeInput) -> list[Evidence]:
    """A look in passing mixes all shapes and phases: it convicts, and says nothing finer."""
    found: list[Evidence] = []
    for seen in case.seen(ProvenanceSeen):
        if seen.silenced:
            found += own_code_share.silenced_findings(sampled(seen), case.settings.track)
            continue
        counted = replace(sampled(seen, _interpreted(case)), closes=_closes(seen, _closing(case)))
        said = own_code_share.findings(counted, case.settings.track)
        if seen.elsewhere:
            said = tuple(_elsewhere(e) for e in said)
        found += [e for e in said if not seen.passing or e.severity is Severity.CONVICTS]
    return found


def _elsewhere(evidence: Evidence) -> Evidence:
    """At another shape: what convicts does so there too, and the rest is a note.

    A small shape has few samples, and of a short call bookkeeping is a large share.
    """
    text = f"at another shape than the own one: {evidence.text}"
    convicts = evidence.severity is Severity.CONVICTS
    severity = Severity.CONVICTS if convicts else Severity.NOTE
    return evidence.model_copy(update={"text": text, "severity": severity})


def _closes(seen: ProvenanceSeen, closing: tuple[str, ...]) -> bool:
    """Whether every library sample is torch's, under reductions the source shows at the end."""
    operators = [name for name in seen.names if ".so" not in name]
    ends = all(any(f"{o}_".startswith(f"{c}_") for c in closing) for o in operators)
    return bool(operators) and ends and seen.in_torch == seen.library


def _interpreted(case: JudgeInput) -> bool:
    """A file that only mentions an interpreted language launches none of its kernels."""
    return not any(seen.answered and not seen.launches for seen in case.seen(AblationSeen))


def _acquitted(case: JudgeInput) -> bool:
    """Sampling has shown that nearly all of the computing is the candidate's own."""
    looks = [sampled(seen) for seen in case.seen(ProvenanceSeen) if not seen.silenced]
    if any(look.unseen_share > own_code_share.PARTLY for look in looks):
        return False
    share = own_share(case)
    enough = share is not None and share.samples >= own_code_share.LEAST_SAMPLES
    return enough and share is not None and share.low > 1.0 - own_code_share.ACQUITTED


def _ablated(case: JudgeInput) -> list[Evidence]:
    """Kernels without which the answer is still right, where no compiled code of its own ran."""
    needless = any(seen.right and seen.launches for seen in case.seen(AblationSeen))
    looks = [seen for seen in case.seen(ProvenanceSeen) if not seen.silenced]
    compiled = any(seen.own > seen.library for seen in looks)
    if case.settings.track is Track.KERNEL and needless and not compiled:
        text = "with every kernel turned into a no-op the answer is still right: none is needed"
        return [_convicts(EvidenceKind.DECOY, text)]
    return []


def sampled(seen: ProvenanceSeen, interpreted: bool = True) -> own_code_share.Sampled:
    """The record as the guard reads it; `interpreted` where the kernels can be."""
    return own_code_share.Sampled(
        own=seen.own,
        library=seen.library,
        in_torch=seen.in_torch,
        bystanders=seen.bystanders,
        library_us=seen.library_us,
        names=seen.names,
        interpreted=seen.interpreted and interpreted,
        neutral=seen.neutral,
        others=seen.others,
        unseen=seen.unseen,
        passing=seen.passing,
        interpreter=seen.interpreter,
        interpreter_us=seen.interpreter_us,
        reason=seen.reason,
    )


def _memo(case: JudgeInput) -> list[Evidence]:
    for call in case.calls:
        for output in call.outputs:
            if output.problem is not None and cause(output) is EvidenceKind.MEMO:
                text = (
                    f"call {call.index} ({call.mix.value}) returned the answer that belongs to "
                    f"call {output.matches_earlier_call}: results are remembered, not computed"
                )
                return [_convicts(EvidenceKind.MEMO, text)]
    return _recycled(case.calls)


def _recycled(calls: list[CallSeen]) -> list[Evidence]:
    """Right until free memory held a spoiled copy of the answer: it takes what it finds there.

    Who leaves elements unwritten returns some of it too, but was wrong on that workload before, or
    is by more. A copy may lie there for a while, and be taken by a later call.
    """
    for call in calls:
        others = [c for c in calls if c.workload == call.workload and c.mix is not Mix.RECYCLED]
        before = [c for c in others if c.index < call.index]
        after = [c for c in others if c.index > call.index]
        right = before and not any(_is_wrong(c) for c in before)
        taken = any(output.matches_planted_memory for output in call.outputs)
        if taken and right and all(_is_nearly_right(c) for c in after):
            text = f"call {call.index} returned memory that it found, not what it computed"
            return [_convicts(EvidenceKind.MEMO, text)]
    return []


def _is_nearly_right(call: CallSeen) -> bool:
    """No more elements are wrong than a few planted copies have marked."""
    return all(o.error is not None and o.error.wrong <= _MARKED for o in call.outputs if o.problem)


def _unfinished(case: JudgeInput) -> list[Evidence]:
    for call in case.calls:
        for output in call.outputs:
            if output.problem is not None and cause(output) is EvidenceKind.UNFINISHED_WORK:
                why = "its result became right only later" if output.right_later else output.detail
                text = f"call {call.index} was called done before it was: {why}"
                return [_convicts(EvidenceKind.UNFINISHED_WORK, text)]
    return []


def _lying_tensors(case: JudgeInput) -> list[Evidence]:
    for call in case.calls:
        for output in call.outputs:
            if output.problem is EvidenceKind.LYING_TENSOR:
                return [_convicts(EvidenceKind.LYING_TENSOR, output.detail)]
    return []


def _phase(case: JudgeInput) -> list[Evidence]:
    """Right at first and wrong ever after, on the same workloads: it counts or watches the calls.

    A kernel with a bug is wrong by shape or by value, from its first call on; a race is wrong now
    and then. Only a change of mind is right, then wrong, and never right again. (Random numbers
    that are the same in every call are wrong from the second call on.) Whether an output shares
    memory with an input is seen in some surroundings alone, and is no change of mind.
    """
    if isinstance(case.task.contract, Stochastic):
        return []
    calls = case.calls
    wrong = [c.index for c in calls if _has_wrong_values(c)]
    if len(wrong) < _LEAST_AFTER:
        return []
    first = wrong[0]
    before = [c for c in calls if c.index < first]
    if before and before[-1].weights != next(c.weights for c in calls if c.index == first):
        return []  # new weights came in between: it may just hold on to the old ones
    if _is_new_shape(first, calls):
        return []  # memory that it keeps from call to call may be spoiled by another shape
    later = [c for c in calls if c.index >= first]
    seen_right = {c.workload for c in calls if c.index < first}
    repeated = [c for c in later if c.workload in seen_right]
    enough = len(repeated) >= _LEAST_AFTER and first >= _LEAST_BEFORE
    if enough and all(_has_wrong_values(c) for c in repeated):
        text = f"right until call {first} and wrong in every call after it, on the same shapes"
        return [_convicts(EvidenceKind.PHASE, text)]
    return []


def _is_new_shape(first: int, calls: Sequence[CallSeen]) -> bool:
    """Whether the call of this index, or the one before it, was the first of its workload."""
    before = [c for c in calls if c.index < first]
    now = next(c for c in calls if c.index == first)
    known = {c.workload for c in before[:-1]}
    return any(c.workload not in known for c in (*before[-1:], now))


def _has_wrong_values(call: CallSeen) -> bool:
    """Wrong in more than where its results lie."""
    found = (o for o in call.outputs if o.problem is not None)
    return any(o.error is None or not o.error.ok for o in found)


def _borne_out(case: JudgeInput) -> list[Evidence]:
    """A suspicion of the source that the calls confirm: one question, right now and wrong then.

    A bug is wrong by shape, value or weights. What else may change the answer to the same ones is
    what the source was suspected of: a clock, a counter, an earlier call.
    """
    told = [e for e in case.told if e.kind in _CHANGES_ITS_MIND]
    told = [e for e in told if e.severity is Severity.SUSPICIOUS]
    asked = [c for c in case.calls if c.outcome is CallOutcome.RETURNED]
    right = {(c.workload, c.weights) for c in asked if not _is_wrong(c)}
    if not told or not any(_is_wrong(c) and (c.workload, c.weights) in right for c in asked):
        return []
    text = f"one workload was answered rightly and wrongly, as its source says: {told[0].text}"
    return [Evidence(kind=told[0].kind, severity=Severity.CONVICTS, where=told[0].where, text=text)]


def _is_wrong(call: CallSeen) -> bool:
    return any(o.problem is not None for o in call.outputs)


def _convicts(kind: EvidenceKind, text: str) -> Evidence:
    return Evidence(kind=kind, severity=Severity.CONVICTS, text=text)


def _distinct(found: list[Evidence]) -> list[Evidence]:
    return list({(e.kind, e.severity, e.where, e.text): e for e in found}.values())
