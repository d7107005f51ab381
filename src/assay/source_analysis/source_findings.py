"""Findings: what a source report means on a track.

The rule: the source alone convicts only where it is certain. A result no kernel can have made is
certain where everything on its way was followed; so is a matrix product or a layer on forward's own
arguments that always runs. What stands under a condition is suspicious, what may be bookkeeping is
a note, and so is a result whose way was lost: sampling from outside, and the dispatch log, which
knows sizes, decide the rest.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.settings import Track
from assay.source_analysis.interpreter.tags import Guard, Origin, Tag, Weight
from assay.source_analysis.source_report import ReturnSeen, SourceReport

_CONVICTS, _SUSPICIOUS, _NOTE = Severity.CONVICTS, Severity.SUSPICIOUS, Severity.NOTE


def findings(report: SourceReport, track: Track) -> tuple[Evidence, ...]:
    """Evidence from the source, most serious first."""
    found = list(report.events)
    found += [_lying(seen) for seen in report.returns if seen.subclass]
    if not report.complete:
        text = "the source is too large or too deep to be followed to its end."
        found.append(_evidence(EvidenceKind.UNKNOWN, _NOTE, report.main_path, text))
    if report.readable and report.complete and track is not Track.OPEN:
        found += _own_kernel(report, track)
    if report.readable and report.complete:
        works = report.result_depends_on_kernel
        found += [evidence for seen in report.returns for evidence in _kept(seen, works)]
    order = (_CONVICTS, _SUSPICIOUS, _NOTE)
    return tuple(sorted(_distinct(found), key=lambda evidence: order.index(evidence.severity)))


def closing_reductions(report: SourceReport) -> tuple[str, ...]:
    """`sum`, where every sum in a result is over what kernels made and no kernel reads it after."""
    tags = [tag for tag in _library_tags(report) if tag.name.rpartition(".")[2] == "sum"]
    closes = report.complete and not report.opaque and not report.result_is_unresolved
    last = all(not tag.fed and not tag.on_input for tag in (*tags, *_others_fed(report)))
    return ("sum",) if tags and closes and last else ()


def _others_fed(report: SourceReport) -> list[Tag]:
    """Every sum that forward reaches, also one that no result shows as the last step."""
    seen = [tag for one in report.returns for tag in one.tags if tag.origin is Origin.LIBRARY]
    every = (*seen, *report.computed)
    return [tag for tag in every if tag.name.rpartition(".")[2] == "sum"]


def _distinct(found: list[Evidence]) -> list[Evidence]:
    return list({(e.kind, e.where, e.text): e for e in found}.values())


def _lying(seen: ReturnSeen) -> Evidence:
    text = "forward returns an instance of a tensor subclass, whose class answers for its content."
    return _evidence(EvidenceKind.LYING_TENSOR, _CONVICTS, seen.where, text)


def _evidence(kind: EvidenceKind, severity: Severity, where: str, text: str) -> Evidence:
    return Evidence(kind=kind, severity=severity, where=where, text=text)


def _own_kernel(report: SourceReport, track: Track) -> list[Evidence]:
    if report.result_depends_on_kernel:
        return _delegations(report, track)
    if report.opaque and not report.kernel_possible:
        return _hidden_work(report)
    if report.result_is_unresolved and report.kernel_possible:
        text = "what makes the result could not be resolved from the source."
        unresolved = _evidence(EvidenceKind.NO_KERNEL, _NOTE, _first_place(report), text)
        return [unresolved, *_delegations(report, track)]
    if report.opaque or not report.returns:
        return []
    made = _made_by_library(report, track)
    if track is Track.MIXED and _is_generated(report):
        return made
    return [*_without_kernel(report), *made]


def _is_generated(report: SourceReport) -> bool:
    """Whether Inductor makes a kernel of the result; TorchScript calls the library's own."""
    generated = [tag for tag in _library_tags(report) if tag.weight is Weight.GENERATED]
    return any(not tag.name.startswith("torch.jit.") for tag in generated)


def _hidden_work(report: SourceReport) -> list[Evidence]:
    """The work is done by code that is not in the sources, and they hold no way to a kernel."""
    if report.hides_code:
        text = "no kernel is visible, and code made from unreadable text is executed."
        return [_evidence(EvidenceKind.NO_KERNEL, _SUSPICIOUS, _first_place(report), text)]
    text = "the sources hold no kernel of any kind: what makes the result is somebody else's code."
    return [_evidence(EvidenceKind.NO_KERNEL, _CONVICTS, _first_place(report), text)]


def _first_place(report: SourceReport) -> str:
    return report.returns[0].where if report.returns else report.main_path


def _without_kernel(report: SourceReport) -> list[Evidence]:
    where = _first_place(report)
    if report.launches:
        launch = report.launches[0]
        text = f"{launch.name} is launched, but no result of forward depends on it."
        return [_evidence(EvidenceKind.DECOY, _CONVICTS, launch.where, text)]
    if report.kernels:
        text = f"{report.kernels[0].name} is defined, but forward never reaches a kernel."
    else:
        text = "the candidate defines no kernel of its own that its result could come from."
        if not _library_tags(report):  # a reader would look for a library's call in vain
            text += " Python alone is no kernel on this track; `--track open` takes it."
    return [_evidence(EvidenceKind.NO_KERNEL, _CONVICTS, where, text)]


def _made_by_library(report: SourceReport, track: Track) -> list[Evidence]:
    """Who made the result where no kernel did."""
    severity = _CONVICTS if track is Track.KERNEL else _NOTE
    return [_library_evidence(tag, severity) for tag in _library_tags(report)]


def _library_tags(report: SourceReport) -> list[Tag]:
    """Library computations in any result, one for each place and name."""
    tags = [t for seen in report.returns for t in seen.tags if t.origin is Origin.LIBRARY]
    rank = {Guard.NONE: 0, Guard.CONDITION: 1, Guard.PHASE: 1, Guard.BENIGN: 2}
    tags.sort(key=lambda tag: (_line(tag), tag.name, rank[tag.guard], tag.fed))
    return list({(tag.name, tag.where): tag for tag in reversed(tags)}.values())[::-1]


def _line(tag: Tag) -> tuple[str, int]:
    path, _, line = tag.where.rpartition(":")
    return path, int(line or 0) if line.isdigit() else 0


def _library_evidence(tag: Tag, severity: Severity) -> Evidence:
    if tag.weight is Weight.GENERATED:
        text = f"{tag.name} makes the kernel: the work is a compiler's, not the candidate's."
        return _evidence(EvidenceKind.GENERATED_KERNEL, severity, tag.where, text)
    text = f"{tag.name} computes part of the result{_CONDITIONS[tag.guard]}."
    return _evidence(EvidenceKind.DELEGATION, severity, tag.where, text)


_CONDITIONS = {
    Guard.NONE: "",
    Guard.CONDITION: " under a condition",
    Guard.PHASE: " under a condition that reads a clock, a counter, its surroundings or the past",
    Guard.BENIGN: " where a device or package is missing or the input is empty",
}


def _delegations(report: SourceReport, track: Track) -> list[Evidence]:
    """Library computations beside a kernel of the candidate's own."""
    tags = _library_tags(report)
    if track is Track.MIXED:
        return [_library_evidence(tag, _NOTE) for tag in tags]
    return [_library_evidence(tag, _weigh(tag)) for tag in tags]


def _weigh(tag: Tag) -> Severity:
    if tag.guard is Guard.BENIGN or not tag.on_input:
        return _NOTE
    if tag.weight is not Weight.LIGHT:
        return _CONVICTS if tag.guard is Guard.NONE else _SUSPICIOUS
    return _NOTE if tag.fed else _SUSPICIOUS


_INFORMATIVE = "a clock, a counter, its surroundings or an earlier call"


def _kept(seen: ReturnSeen, works: bool) -> list[Evidence]:
    """Results that no work of this call can have made; `works` says that others have a kernel."""
    origins = {tag.origin for tag in seen.tags}
    if _works_by_phase(seen):
        kind = EvidenceKind.MEMO if Origin.PAST in origins else EvidenceKind.PHASE
        text = f"the kernel runs only where {_INFORMATIVE} says so."
        return [_evidence(kind, _SUSPICIOUS, seen.where, text)]
    if seen.guard is Guard.BENIGN:
        return []
    if Origin.PREPARED in origins and not _worked(seen):
        text = "forward may return what was computed before it was called."
        return [_evidence(EvidenceKind.MEMO, _SUSPICIOUS, seen.where, text)]
    if origins & {Origin.KERNEL, Origin.LIBRARY, Origin.UNKNOWN}:
        return []
    if Origin.PAST in origins:
        text = "forward may return what an earlier call stored."
        return [_evidence(EvidenceKind.MEMO, _SUSPICIOUS, seen.where, text)]
    if seen.guard is Guard.PHASE:
        text = f"whether forward does its work depends on {_INFORMATIVE}."
        severity = _CONVICTS if seen.blank and works else _SUSPICIOUS
        return [_evidence(EvidenceKind.PHASE, severity, seen.where, text)]
    return []


def _worked(seen: ReturnSeen) -> bool:
    """True where this call computed something of the result from its arguments."""
    done = {Origin.KERNEL, Origin.UNKNOWN}
    return any(t.origin in done or (t.origin is Origin.LIBRARY and t.on_input) for t in seen.tags)


def _works_by_phase(seen: ReturnSeen) -> bool:
    """True where the result is always returned but its kernels run only in some phase."""
    others = {tag.origin for tag in seen.tags} & {Origin.LIBRARY, Origin.UNKNOWN}
    guards = {tag.guard for tag in seen.tags if tag.origin is Origin.KERNEL}
    return seen.guard is Guard.NONE and not others and guards == {Guard.PHASE}
